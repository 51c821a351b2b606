import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heard } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const programs = 'node_modules/.bin';
const scripts = ['build', 'start', 'test', 'demo', 'bench', 'dev', 'lint', 'types'];

/** What each script says in a folder that has these programs. */
async function runEach(has: (folder: string) => void) {
  const folder = temporaryFolder();
  copyFileSync('package.json', join(folder, 'package.json'));
  mkdirSync(join(folder, programs), { recursive: true });
  has(join(folder, programs));
  const run = (script: string) =>
    new Promise((resolve) => {
      execFile('npm', ['run', script], { cwd: folder }, (error, _, errors) => resolve([script, error?.code, errors]));
    });
  return await Promise.all(scripts.map(run));
}

test('where npm has left out what builds the program, each script says how to get it, and tries nothing', async () => {
  const said = await runEach((folder) => symlinkSync(resolve(programs, 'node'), join(folder, 'node')));
  const sentence = expect.stringMatching(/^The tools .* Run: npm ci --include=dev$/m);
  expect(said).toEqual(scripts.map((script) => [script, 1, sentence]));
});

test('where npm has not fetched Node 24, each script says how to get it', async () => {
  const said = await runEach((folder) => {
    writeFileSync(join(folder, 'vite'), '');
    // npm itself runs by it too; what it is asked about its version it answers as an older one.
    const node = `#!/bin/sh\n[ "$1" = -e ] && exit 1\nexec '${process.execPath}' "$@"\n`;
    writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
  });
  const sentence = expect.stringMatching(/^Node 24 is missing.* Run: npm rebuild --ignore-scripts=false node$/m);
  expect(said).toEqual(scripts.map((script) => [script, 1, sentence]));
});

describe('the build', () => {
  /** With these commands as its three parts. */
  function build(service: string, packages: string, dashboard: string) {
    const folder = temporaryFolder();
    const scripts = { 'service:build': service, 'packages:build': packages, 'dashboard:build': dashboard };
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
    const child = spawn(process.execPath, [resolve('scripts/build.ts')], { cwd: folder });
    return { child, folder, said: heard(child), closed: once(child, 'close') };
  }

  test('shows each part when it is done, and what it has to say', async () => {
    const { folder, said, closed } = build('true', 'echo a warning', 'true');
    expect(await closed).toEqual([0, null]);
    expect(said.errors).toMatch(/^Building service, packages, dashboard …\n/);
    expect(said.errors).toMatch(/^a warning\n {2}\d of 3: packages, \d+\.\d s$/m);
    expect(said.errors).toMatch(/^ {2}3 of 3: /m);
    expect(existsSync(join(folder, 'dist/.built'))).toBe(true);
  });

  test('ends with the error of a part that fails, and waits for no other', async () => {
    const { folder, said, closed } = build('sleep 600', 'true', 'echo mistake >&2; exit 3');
    expect(await closed).toEqual([1, null]);
    expect(said.errors).toMatch(
      /mistake\nBuilding the dashboard failed\. "npm run dashboard:build" builds it alone\.\n$/,
    );
    expect(existsSync(join(folder, 'dist/.built'))).toBe(false);
  });

  test('ends on a signal with all that it has started, and without a word', async () => {
    const { child, folder, said, closed } = build('touch begun; sleep 600 | cat', 'true', 'sleep 600');
    await eventually(() => existsSync(join(folder, 'begun')));
    child.kill('SIGINT');
    expect(await closed).toEqual([null, 'SIGINT']); // nothing holds its output open any more
    expect(said.errors).not.toContain('failed');
    expect(existsSync(join(folder, 'dist/.built'))).toBe(false);
  });
});
