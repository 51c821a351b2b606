import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heard, startProgram } from '../support/program.js';
import { startReceiver } from '../support/receiver.js';
import { isOffline } from '../support/registry.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** This one leaves install scripts out, unless the user allows them. */
const NPM_12 = 'npm@12.2.2';
const QUIETLY = ['--no-audit', '--no-fund', '--prefer-offline'];
const SLOW = 180_000;

/** As on a stranger's terminal: our Node, and nothing that `npm test` has set for its own scripts. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
};
const run = (command: string, args: readonly string[], cwd: string) => promisify(execFile)(command, args, { cwd, env });

let packed: string;
/** Where npm 12 has installed it. */
const folder = temporaryFolder();
let isSkipped = false;
let service: ChildProcess | undefined;

beforeAll(async () => {
  const to = temporaryFolder();
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', to], '.'); // `npm test` has built it
  packed = join(to, readdirSync(to)[0]!);
  try {
    await run('npx', ['--yes', NPM_12, 'install', packed, ...QUIETLY], folder);
  } catch (error) {
    if (!isOffline(String(error))) {
      throw error;
    }
    isSkipped = true;
  }
}, SLOW);

afterAll(() => void service?.kill('SIGKILL'));

test('the packed file has the program, its pages and its licence, and nothing that builds or tests it', () => {
  const files = execFileSync('tar', ['-tzf', packed], { encoding: 'utf8' }).trim().split('\n');
  const folders = new Set(files.map((file) => file.split('/').slice(1, -1).slice(0, 2).join('/')));
  const docs = ['docs', 'docs/decisions', 'docs/pictures', 'docs/verify'];
  const parts = ['dist/dashboard', 'dist/program'];
  const sql = globSync('migrations/*/*.sql').map((file) => file.replace('migrations', 'package/dist/program'));
  expect([...folders].sort()).toEqual(['', 'bin', ...parts, ...docs]);
  expect(files.filter((file) => file.split('/').length === 2).sort()).toEqual(
    ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'package.json', 'schema.graphql'].map(
      (file) => `package/${file}`,
    ),
  );
  const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to]) => to);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((to) => !files.includes(`package/${to}`))).toEqual([]);
  expect(files).toContain('package/dist/dashboard/console.html');
  expect(sql.length).toBeGreaterThan(20);
  expect(files).toEqual(expect.arrayContaining(sql));
  expect(files).toContain('package/dist/program/LICENSES.txt'); // of the libraries that are in it
  expect(files.filter((file) => /\.(ts|tsbuildinfo)$|dashboard.*\.map$/.test(file))).toEqual([]);
});

test(
  'installed by npm 12, it delivers an event without a setting, and ends on Ctrl-C',
  async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    expect(existsSync(join(folder, 'node_modules/node/bin/node'))).toBe(false); // scripts were blocked
    await using receiver = await startReceiver();
    const program = join(folder, 'node_modules/.bin/hookwright');
    service = startProgram(['start'], { PORT: '0', PATH: env.PATH }, { program, cwd: folder });
    const said = heard(service);
    const [, url] = await eventually(() => /Hookwright is ready at (\S+)\n/.exec(said.errors), 60_000);

    expect(said.errors).toContain(`Data in ${join(folder, '.data')},`);
    expect(readFileSync(join(folder, '.data/.gitignore'), 'utf8')).toBe('*\n');
    expect((await fetch(`${url}/console`)).status).toBe(200);
    const headers = {
      authorization: `Bearer ${readFileSync(join(folder, '.data/api-key'), 'utf8').trim()}`,
      'content-type': 'application/json',
    };
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect((await post('/api/v1/webhooks', { url: receiver.url, events: ['coupon.applied'] })).status).toBe(201);
    await post('/graphql', {
      query: 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }',
      variables: { input: { event: 'coupon.applied', payload: { code: 'SUMMER', discount_type: 'percent' } } },
    });
    await eventually(() => receiver.received.length > 0);
    expect(receiver.received[0]!.body.toString()).toContain('SUMMER');

    service.kill('SIGINT');
    expect(await once(service, 'close')).toEqual([0, null]);
  },
  SLOW,
);

test(
  'npm 11 installs the same without scripts, and it runs',
  async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    const other = temporaryFolder();
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(folder, file), join(other, file));
    }
    await run('npm', ['ci', '--ignore-scripts', ...QUIETLY], other);
    const { stdout } = await run('node_modules/.bin/hookwright', ['--version'], other);
    expect(stdout).toBe('0.1.0\n');
  },
  SLOW,
);

test('every package with an install script is allowed or blocked for npm 12', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { allowScripts: object };
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(new Set(names)).toEqual(new Set(Object.keys(allowScripts)));
});
