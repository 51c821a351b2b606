#!/usr/bin/env node
import './node/node-version.js';
import './node/node-environment.js';
import { saveMemory } from './node/node-memory.js';

saveMemory();
// Only now: loading the rest needs the right Node, and takes memory.
await import('./commands/command-line.js');
