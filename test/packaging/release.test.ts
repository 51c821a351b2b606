import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = join(import.meta.dirname, '../..');
const PARTS = ['package.json', 'package-lock.json', 'packages/receiver/package.json', 'packages/client/package.json'];

/** A repository with what says the version of each part. */
let folder: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });

function change(file: string, from: string | RegExp, to: string): void {
  const path = join(folder, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

function release(version: string) {
  const { status, stdout, stderr } = spawnSync('.ci/release', [version, '--dry-run'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

beforeAll(() => {
  folder = temporaryFolder();
  for (const file of [...PARTS, '.ci/release', 'scripts/sbom.mjs', '.gitignore']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## 7.1.0\n\n### Upgrade\n\n- Nothing.\n\n## 7.0.0\n\nThe first.\n',
  );
  mkdirSync(join(folder, 'charts/hookwright'), { recursive: true });
  writeFileSync(
    join(folder, 'charts/hookwright/Chart.yaml'),
    'name: hookwright\nversion: 7.1.0\nappVersion: "7.1.0"\n',
  );
  for (const file of PARTS) {
    change(file, /"version": ".*?"/, '"version": "7.1.0"');
  }
  for (const name of ['receiver', 'client']) {
    change('package-lock.json', new RegExp(`("packages/${name}": \\{[^}]*?"version": )".*?"`), '$1"7.1.0"');
  }
  change('package-lock.json', /("packages": \{\s*"": \{[^}]*?"version": )".*?"/, '$1"7.1.0"');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
});

test.for([
  ['7.1', /usage: .ci\/release <version>/],
  ['7.2.0', /CHANGELOG.md has no heading "## 7.2.0"/],
  ['7.0.0', /CHANGELOG.md begins with "## 7.1.0", not with "## 7.0.0"/],
] as const)('a dry run of %s is refused', ([version, why]) => {
  const { status, said } = release(version);
  expect(said).toMatch(why);
  expect(status).toBe(1);
});

test.for([
  ['a changed file', 'README.md', '', 'changed', /commit or remove these first:[\s\S]*README.md/],
  [
    'entries that are not released',
    'CHANGELOG.md',
    '## 7.1.0',
    '## Unreleased\n\n## 7.1.0',
    /begins with "## Unreleased"/,
  ],
  ['a lower version', 'CHANGELOG.md', '## 7.0.0', '## 8.0.0', /7.1.0 is lower than 8.0.0/],
  [
    'another version of the chart',
    'charts/hookwright/Chart.yaml',
    '"7.1.0"',
    '"7.0.0"',
    /Chart.yaml, appVersion: 7.0.0/,
  ],
  ['another version of a package', 'packages/client/package.json', '7.1.0', '7.0.9', /client\/package.json: 7.0.9/],
] as const)('%s stops a release', ([name, file, from, to, why]) => {
  writeFileSync(join(folder, file), '', { flag: 'a' });
  change(file, from, to);
  if (name !== 'a changed file') {
    git('commit', '--quiet', '--all', '--message', name);
  }
  const { status, said } = release('7.1.0');
  git('clean', '--quiet', '--force');
  if (name !== 'a changed file') {
    git('reset', '--quiet', '--hard', 'HEAD~');
  }
  expect(said).toMatch(why);
  expect(status).toBe(1);
});

test('a dry run leaves notes, a list of components and checksums', () => {
  const { status, said } = release('7.1.0');
  expect(status, said).toBe(0);
  const made = join(folder, 'release/7.1.0');
  expect(readdirSync(made)).toEqual(['SHA256SUMS', 'hookwright-7.1.0.cdx.json', 'notes.md']);
  expect(readFileSync(join(made, 'notes.md'), 'utf8')).toBe('\n### Upgrade\n\n- Nothing.\n\n');
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: made });
  const { components } = JSON.parse(readFileSync(join(made, 'hookwright-7.1.0.cdx.json'), 'utf8'));
  const listed = new Set(
    components.map(({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name)),
  );
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies).filter((name) => !listed.has(name))).toEqual([]);
  expect(listed.has('vitest')).toBe(false);
});
