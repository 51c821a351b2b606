#!/usr/bin/env node
// Runs the program by a Node that is new enough, and does nothing else: this file must work on every Node from 18 on.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
const isNewEnough = (version) => Number.parseInt(version, 10) >= NODE_MAJOR_MIN;
const main = fileURLToPath(new URL('../dist/program/main.js', import.meta.url));

/**
 * The program of the npm package `node`, which is optional: its install script fetches the program. It is tried first:
 * it does not run everywhere (Alpine), and a process that becomes a program that does not run is aborted.
 */
function installedNode() {
  try {
    const program = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    return isNewEnough(stdout.slice('v'.length)) ? program : null;
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
  await import('../dist/program/main.js');
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
