#!/usr/bin/env node
import './platform/node/node-version.js';
import './platform/node/node-environment.js';

// Only now: loading the rest needs the right Node.
await import('./cli/command-line.js');
