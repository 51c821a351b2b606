import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

test('where npm has left out what builds the program, each script says how to get it, and tries nothing', async () => {
  const folder = temporaryFolder();
  copyFileSync('package.json', join(folder, 'package.json'));
  const programs = 'node_modules/.bin';
  mkdirSync(join(folder, programs), { recursive: true });
  // This is there without development dependencies.
  symlinkSync(resolve(programs, 'node'), join(folder, programs, 'node'));
  const run = (script: string) =>
    new Promise((resolve) => {
      execFile('npm', ['run', script], { cwd: folder }, (error, _, errors) => resolve([script, error?.code, errors]));
    });
  const sentence = expect.stringMatching(/^The tools .* Run: npm ci --include=dev$/m);
  const scripts = ['build', 'start', 'test', 'demo', 'bench', 'dev', 'lint', 'types'];
  expect(await Promise.all(scripts.map(run))).toEqual(scripts.map((script) => [script, 1, sentence]));
});
