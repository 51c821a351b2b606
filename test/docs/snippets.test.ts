import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SNIPPETS } from '../../dashboard/screens/endpoints/form/snippets.js';
import { KEY_VECTORS, VECTORS } from '../../scripts/receiver-vectors.js';

const run = promisify(execFile);
const secretVectors = resolve('packages/receiver/vectors/v1.tsv');
const keyVectors = resolve('packages/receiver/vectors/v2.tsv');
const cache = resolve('node_modules/.cache');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookwright-verify-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** By language: how one knows that its tool is there, and the commands of which the last one gets the vectors. */
const RUNNERS: Readonly<Record<string, { tool: string[]; commands: () => string[][] }>> = {
  python: { tool: ['python3', '--version'], commands: () => [['python3', 'vectors.py']] },
  go: { tool: ['go', 'version'], commands: () => [['go', 'run', './vectors']] },
  java: {
    tool: ['javac', '--version'],
    commands: () => [
      ['javac', '-d', folder, 'Hookwright.java', 'Vectors.java'],
      ['java', '-cp', folder, 'Vectors'],
    ],
  },
  rust: {
    tool: ['cargo', '--version'],
    commands: () => [['cargo', 'run', '--locked', '--quiet', '--target-dir', join(cache, 'cargo'), '--']],
  },
  php: { tool: ['php', '--version'], commands: () => [['php', 'vectors.php']] },
  ruby: { tool: ['ruby', '--version'], commands: () => [['ruby', 'vectors.rb']] },
};

const withPackages = ['env', `PYTHONPATH=${resolve('test/compatibility/python')}`, 'python3'];

/** The same for verifying by a public key. */
const KEY_RUNNERS: typeof RUNNERS = {
  python: {
    tool: [...withPackages, '-c', 'import cryptography'],
    commands: () => [[...withPackages, 'key_pair_vectors.py']],
  },
  go: { tool: ['go', 'version'], commands: () => [['go', 'run', './keypairvectors']] },
  php: {
    tool: ['php', '-r', 'exit(extension_loaded("sodium") ? 0 : 1);'],
    commands: () => [['php', 'key_pair_vectors.php']],
  },
};

const has = ([command = '', ...args]: string[]) => spawnSync(command, args).status === 0;

async function lastLine(language: string, commands: string[][], vectors = secretVectors): Promise<string> {
  let last = '';
  for (const [index, [command = '', ...args]] of commands.entries()) {
    const more = index === commands.length - 1 ? [vectors] : [];
    const { stdout } = await run(command, [...args, ...more], {
      cwd: `docs/verify/${language}`,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    last = stdout.trim();
  }
  return last;
}

// A CI that lacks a tool fails, so that none is left out unnoticed.
it.concurrent.each(Object.entries(RUNNERS).filter(([, { tool }]) => process.env['CI'] === 'true' || has(tool)))(
  'the code of docs/verify in %s agrees with every public vector',
  { timeout: 120_000 },
  async (language, { commands }) => {
    expect(await lastLine(language, commands())).toBe(`${VECTORS.length} vectors, 0 wrong`);
  },
);

it.concurrent.each(Object.entries(KEY_RUNNERS).filter(([, { tool }]) => process.env['CI'] === 'true' || has(tool)))(
  'the code of docs/verify for key pairs in %s agrees with every public vector',
  { timeout: 120_000 },
  async (language, { commands }) => {
    expect(await lastLine(language, commands(), keyVectors)).toBe(`${KEY_VECTORS.length} vectors, 0 wrong`);
  },
);

it('the dashboard shows the code of every language of docs/verify', () => {
  const shown = SNIPPETS.filter(({ both }) => both).map(({ language }) => language.toLowerCase());
  expect(shown.sort()).toEqual(Object.keys(RUNNERS).sort());
});
