import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, globSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settings } from '../../src/platform/settings/settings.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { heard, SOON } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Prints each file that Node loads. */
const WATCH = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ load(url, context, next) {
     if (url.startsWith('file:')) process.stderr.write('LOADED ' + url + '\\n');
     return next(url, context);
   } });`,
)}`;

/** With these settings, and no cache of compiled code that `npm test` has. */
function start(program: string, args: readonly string[], set: Record<string, string>, flags: readonly string[] = []) {
  const inherited = Object.entries(process.env).filter(([name]) => !(name in settings) && !/COMPILE_CACHE/.test(name));
  const env = { ...Object.fromEntries(inherited), ...SOON, ...set };
  return spawn(process.execPath, [...flags, join(program, 'main.js'), ...args], { env });
}

async function ended(child: ChildProcess) {
  const said = heard(child);
  const [code] = await once(child, 'close');
  return { ...said, code };
}

const loadedIn = (errors: string) => [...new Set([...errors.matchAll(/^LOADED (.*)$/gm)].map(([, url]) => url!))];

test.each([
  [['--help'], {}],
  [['trigger', '--help'], {}],
  [['trigger', 'coupon.applied', '--url', 'http://127.0.0.1:9', '--key', 'x'], {}],
  [['key', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' }],
])('%s loads few files, and none of the service where it asks an API', async (args, set) => {
  const { errors } = await ended(start('dist/program', args, set, ['--import', WATCH]));
  const loaded = loadedIn(errors);
  expect(loaded.length).toBeGreaterThan(2);
  expect(loaded.length).toBeLessThanOrEqual(args[0] === 'key' ? 60 : 20);
  expect(loaded.filter((url) => /graphql|fastify|mikro/i.test(url) && args[0] !== 'key')).toEqual([]);
});

test('the service loads at most 160 files, and none of a library that is not in them', {
  timeout: 60_000,
}, async () => {
  const { url, drop } = await createTestDatabase();
  const key = `k:${randomBytes(32).toString('base64')}`;
  const set = { DATABASE_URL: url, ENCRYPTION_KEYS: key, PORT: '0', METRICS_PORT: '0' };
  const child = start('dist/program', ['start'], set, ['--import', WATCH]);
  try {
    const said = heard(child);
    await eventually(() => said.output.includes('the delivery daemon is running'), 30_000);
    const loaded = loadedIn(said.errors);
    expect(loaded.length).toBeGreaterThan(20);
    expect(loaded.length).toBeLessThanOrEqual(160);
    expect(loaded.filter((file) => file.includes('node_modules'))).toEqual([]);
    // It makes Node load the client behind `fetch` (src/platform/node/node-http.ts).
    const importsHttp = (file: string) => / from "(node:)?https?"/.test(readFileSync(fileURLToPath(file), 'utf8'));
    expect(loaded.filter(importsHttp)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
    await drop();
  }
});

test('a stack trace names our source files, also where npm has installed the program', async () => {
  const program = join(temporaryFolder(), 'node_modules/hookwright/dist/program');
  cpSync('dist/program', program, { recursive: true });
  cpSync('package.json', join(program, '../../package.json'));
  const { errors, code } = await ended(start(program, ['api'], { LOG_LEVEL: 'debug' }));
  const line =
    readFileSync('src/cli/serve.ts', 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('throw new Error(')) + 1;
  expect(errors).toMatch(new RegExp(`serve \\(\\S+/src/cli/serve\\.ts:${line}:`));
  expect(code).toBe(1);
});

test('the maps are of our sources alone', () => {
  const sources = globSync('dist/program/*.map').flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).sources);
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((source: string) => !/^(\.\.\/)+(src|daemon|migrations)\//.test(source))).toEqual([]);
});

test('the libraries in the program are those that npm installs without development dependencies, with licences', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([, { dev }]) => !dev);
  const known = new Set(installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)} ${version}`));
  const texts = readFileSync('dist/program/LICENSES.txt', 'utf8').split(/\n\n-{80}\n\n/);
  const named = texts.map((text) => /^(\S+ \S+) \(.+\)$/m.exec(text)?.[1] ?? text);
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('no library in the program asks for what only a file of its own has, or was replaced in vain', () => {
  const files = globSync('dist/program/*.js').filter((file) => /\bmodule\.require\b/.test(readFileSync(file, 'utf8')));
  expect(files).toEqual([]);
  expect(readFileSync('dist/program/LICENSES.txt', 'utf8')).not.toMatch(/^(cosmiconfig|sha\.js|tinyglobby) /m);
});

test('each file of SQL is beside the program', () => {
  const inBuild = globSync('{functions,frozen}/*.sql', { cwd: 'dist/program' });
  expect(inBuild.sort()).toEqual(globSync('{functions,frozen}/*.sql', { cwd: 'migrations' }).sort());
});

/** A copy of the program in a folder of its own. */
function copied(): { program: string; cache: string } {
  const folder = temporaryFolder();
  cpSync('dist/program', join(folder, 'dist/program'), { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  return { program: join(folder, 'dist/program'), cache: join(folder, 'dist/.compiled') };
}
const version = async (program: string, set = {}) => (await ended(start(program, ['--version'], set))).output;

test('compiled code is kept for its user alone, and a start with a broken one works', async () => {
  const { program, cache } = copied();
  expect(await version(program)).toBe('0.1.0\n');
  expect(statSync(cache).mode & 0o777).toBe(0o700);
  const files = globSync(`${cache}/*/*`);
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    truncateSync(file, statSync(file).size / 2);
  }
  expect(await version(program)).toBe('0.1.0\n');
});

test('where compiled code cannot be kept, the program works without', async () => {
  const { program, cache } = copied();
  writeFileSync(cache, 'a file in the place of the folder');
  expect(await version(program)).toBe('0.1.0\n');
});

test("nothing is kept in another user's folder, or where NODE_COMPILE_CACHE names another", async (context) => {
  const { program, cache } = copied();
  const named = temporaryFolder();
  expect(await version(program, { NODE_COMPILE_CACHE: named })).toBe('0.1.0\n');
  expect([existsSync(cache), globSync(`${named}/*/*`).length > 2]).toEqual([false, true]);
  context.skip(process.geteuid?.() !== 0, 'only root may give folders away');
  chownSync(program, 12_345, 12_345);
  expect(await version(program)).toBe('0.1.0\n');
  expect(existsSync(cache)).toBe(false);
});
