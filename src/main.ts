#!/usr/bin/env node
import './platform/node/node-version.js';
import './platform/node/node-environment.js';
import { keepCompiledCode } from './platform/node/compiled-code.js';
import { saveMemory } from './platform/node/node-memory.js';

if (import.meta.url.endsWith('.js')) {
  keepCompiledCode(import.meta.dirname);
}
// Before the rest is loaded: it starts the program again.
if (['start', 'api', 'daemon'].includes(process.argv[2] ?? '')) {
  saveMemory();
}
// Only now: loading the rest needs the right Node.
const { runCommand } = await import('./cli/command-line.js');
if (!(await runCommand(process.argv.slice(2)))) {
  process.exit(1);
}
