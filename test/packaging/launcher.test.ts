import { once } from 'node:events';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heard, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What the launcher hands over to: it says who runs it with what, and lives until a signal or `exit <code>`. */
const MAIN = `
  process.on('SIGTERM', () => process.exit(7));
  console.log(JSON.stringify([process.versions.node, process.argv.slice(2)]));
  const [verb, code] = process.argv.slice(2);
  if (verb === 'exit') { process.exit(Number(code)); }
  if (verb === 'die') { process.kill(process.pid, 'SIGKILL'); }
  setInterval(() => {}, 1_000);`;

/** An older Node, as far as the launcher can see. */
const older = (version: string, also = '') =>
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } });${also}`;
/** Before Node 22.15 a process cannot become another program. */
const NO_EXECVE = 'process.execve = undefined;';

/**
 * The launcher as npm installs it.
 *
 * @param node the package `node` in the folder above, where npm puts it: ours, or a script; null: it is not there
 */
function installed(node: string | null): string {
  const folder = temporaryFolder();
  const home = join(folder, 'node_modules', 'hookwright');
  mkdirSync(join(home, 'bin'), { recursive: true });
  mkdirSync(join(home, 'dist', 'program'), { recursive: true });
  copyFileSync('bin/hookwright.js', join(home, 'bin', 'hookwright.js'));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(home, 'dist', 'program', 'main.js'), MAIN);
  if (node !== null) {
    const bin = join(folder, 'node_modules', 'node', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, '..', 'package.json'), '{}');
    if (node === 'ours') {
      symlinkSync(process.execPath, join(bin, 'node'));
    } else {
      writeFileSync(join(bin, 'node'), node, { mode: 0o755 });
    }
  }
  return join(home, 'bin', 'hookwright.js');
}

function start(launcher: string, args: readonly string[], preload?: string) {
  const given = preload === undefined ? [] : ['--import', preload];
  const child = startProgram([...given, launcher, ...args], {}, { program: process.execPath });
  return { child, said: heard(child), closed: once(child, 'close') as Promise<[number | null, string | null]> };
}

const handedOver = (...args: string[]) => `${JSON.stringify([process.versions.node, args])}\n`;

test.each([
  ['that is new enough runs the program itself', null, undefined],
  ['that is older becomes the Node beside it', 'ours', older('22.15.0')],
  ['that is too old for that starts the Node beside it', 'ours', older('20.20.2', NO_EXECVE)],
])('a Node %s, and passes arguments, exit codes and signals on', async (_, node, preload) => {
  const launcher = installed(node);
  const exits = start(launcher, ['exit', '5'], preload);
  const dies = start(launcher, ['die'], preload);
  const stays = start(launcher, ['start', '--a', 'b c'], preload);
  expect(await exits.closed).toEqual([5, null]);
  expect(await dies.closed).toEqual([null, 'SIGKILL']);
  await eventually(() => stays.said.output !== '');
  stays.child.kill('SIGTERM');
  expect(await stays.closed).toEqual([7, null]);
  expect(stays.said).toEqual({ output: handedOver('start', '--a', 'b c'), errors: '' });
});

test.each([
  ['none beside it', null],
  ['another old one beside it', '#!/bin/sh\necho v22.1.0'],
  ['one beside it that does not run here', '\x7fELF'],
])('an older Node with %s says what is missing', async (_, node) => {
  const { said, closed } = start(installed(node), ['start'], older('20.20.2'));
  expect(await closed).toEqual([1, null]);
  expect(said).toEqual({
    output: '',
    errors: 'Hookwright needs Node 24; this is Node 20.20. Install it, or use the image.\n',
  });
});
