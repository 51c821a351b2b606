#!/usr/bin/env node
import './platform/node/node-version.js';
import './platform/node/node-environment.js';
import { saveMemory } from './platform/node/node-memory.js';

saveMemory();
// Only now: loading the rest needs the right Node, and takes memory.
await import('./cli/command-line.js');
