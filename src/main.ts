#!/usr/bin/env node
import './platform/node/node-version.js';
import './platform/node/node-environment.js';

// Only now: loading the rest needs the right Node.
const { runCommand } = await import('./cli/command-line.js');
if (!(await runCommand(process.argv.slice(2)))) {
  process.exit(1);
}
