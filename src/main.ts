#!/usr/bin/env node
import './node-version.js';
import './node-environment.js';
import { saveMemory } from './node-memory.js';

saveMemory();
// Only now: loading the rest needs the right Node, and takes memory.
await import('./command-line.js');
