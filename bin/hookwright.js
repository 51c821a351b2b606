#!/usr/bin/env node
// Runs the program by a Node that is new enough, and does nothing else: this file must work on every Node from 18 on.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
const isNewEnough = (version) => Number.parseInt(version, 10) >= NODE_MAJOR_MIN;
const main = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));

/** The program of the npm package `node`, which is optional: its install script fetches the program. */
function installedNode() {
  try {
    const description = createRequire(import.meta.url).resolve('node/package.json');
    const program = join(dirname(description), 'bin', 'node');
    return isNewEnough(JSON.parse(readFileSync(description, 'utf8')).version) && existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/** The other Node takes this process's place. Older ones cannot do that: there it is a child with our signals. */
function handOver(program) {
  const args = [main, ...process.argv.slice(2)];
  if (process.execve !== undefined && process.platform !== 'win32') {
    process.execve(program, [program, ...args], process.env);
  }
  const child = spawn(program, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (isNewEnough(process.versions.node)) {
  await import('../dist/src/main.js');
} else {
  const program = installedNode();
  if (program === null) {
    const version = process.versions.node.replace(/\.\d+$/, '');
    process.stderr.write(
      `Hookwright needs Node ${NODE_MAJOR_MIN}; this is Node ${version}. Install it, or use the image.\n`,
    );
    process.exit(1);
  }
  handOver(program);
}
