import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callOf } from '../../src/platform/node/this-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const shell = temporaryFolder();
const path = `/nowhere:${shell}:.`;

function made(...files: string[]): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  return folder;
}

test('in a checkout the program is called by its file', () => {
  const checkout = made('hookwright', 'bin/hookwright.js');
  expect(callOf(checkout, { path, cwd: checkout })).toBe('./hookwright');
  expect(callOf(checkout, { path, cwd: shell })).toBe(join(checkout, 'hookwright'));
  expect(callOf(checkout, { path, cwd: join(checkout, 'gone') })).toBe(join(checkout, 'hookwright'));
});

test('where a shell finds it, it is called by its name, and another program of that name does not count', () => {
  for (const file of ['hookwright', 'bin/hookwright.js']) {
    const folder = made('hookwright', 'bin/hookwright.js');
    const found = temporaryFolder();
    symlinkSync(join(folder, file), join(found, 'hookwright'));
    expect(callOf(folder, { path: `${path}:${found}`, cwd: folder })).toBe('hookwright');
    expect(callOf(folder, { path: `${made('hookwright')}:${found}`, cwd: folder })).toBe('./hookwright');
  }
});

test('a package of npm is called by npx, unless it is installed globally', () => {
  const folder = made('package/bin/hookwright.js');
  const [installed, bin] = [join(folder, 'package'), join(folder, 'node_modules/.bin')];
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(installed, 'bin/hookwright.js'), join(bin, 'hookwright'));
  expect(callOf(installed, { path: `${bin}:${path}`, cwd: folder })).toBe('npx hookwright');
  symlinkSync(join(installed, 'bin/hookwright.js'), join(shell, 'hookwright'));
  expect(callOf(installed, { path: `${bin}:${path}`, cwd: folder })).toBe('hookwright');
});
