import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import {
  compatibilityFolder,
  requireCompatibilityInstalled,
  skipsCompatibilityTests,
} from '../support/compatibility.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { OutboxApplication } from '../support/outbox-application.js';

const run = promisify(execFile);
const PACKAGE = 'packages/client';
const installed = join(compatibilityFolder, 'node_modules');

/** Programs that run a file of JavaScript. */
const runtimes: [name: string, program: string, args: string[]][] = [
  ['Node 20', join(installed, 'node-20/bin/node'), []],
  ['Node 22', join(installed, 'node-22/bin/node'), []],
  ['Node 24', process.execPath, []],
  ['Bun', join(installed, '@oven/bun-linux-x64/bin/bun'), []],
  ['Deno', join(installed, '@deno/linux-x64-glibc/deno'), ['run', '--no-lock', '--cached-only', '-A']],
];

let stack: DeliveryStack;
let api: ApiOverSockets;
let folder: string;
let library: string;
let settings: Record<string, string>;

describe.skipIf(skipsCompatibilityTests())('the client', () => {
  beforeAll(async () => {
    requireCompatibilityInstalled();
    stack = await DeliveryStack.open();
    api = await ApiOverSockets.open(stack.services, stack.tenantId);
    settings = { HOOKWRIGHT_URL: `http://127.0.0.1:${api.port}`, HOOKWRIGHT_API_KEY: api.key };
    folder = await mkdtemp(join(compatibilityFolder, '.run-'));
    library = join(folder, 'node_modules/@hookwright/client');
    await mkdir(library, { recursive: true });
    await cp(join(PACKAGE, 'package.json'), join(library, 'package.json'));
    await run('node_modules/.bin/tsc', ['-p', PACKAGE, '--outDir', join(library, 'dist')]);
    await cp('examples/producer', folder, { recursive: true });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await api?.[Symbol.asyncDispose]();
    await stack?.[Symbol.asyncDispose]();
  });

  test('emits in each runtime, where the example makes one event', async () => {
    for (const [name, program, args] of runtimes) {
      const { stdout } = await run(program, [...args, 'emit.mjs'], {
        cwd: folder,
        env: { ...process.env, ...settings },
      });
      const word = name === runtimes[0]![0] ? 'Accepted' : 'Known';
      expect(stdout, name).toMatch(new RegExp(`^${word} as ev_\\d+, for 0 webhooks\\n$`));
    }
  });

  test('gives up within seconds in the example, where nothing listens', async () => {
    const env = { ...process.env, ...settings, HOOKWRIGHT_URL: 'http://127.0.0.1:1' };
    const startedAt = performance.now();
    const failed = await run(process.execPath, ['emit.mjs'], { cwd: folder, env }).catch((error) => error);
    expect(failed).toMatchObject({ code: 75, stderr: expect.stringContaining('http://127.0.0.1:1 cannot be reached') });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('can be required from CommonJS', async () => {
    await writeFile(join(folder, 'required.cjs'), "console.log(typeof require('@hookwright/client').createClient)");
    expect((await run(runtimes[1]![1], ['required.cjs'], { cwd: folder })).stdout).toBe('function\n');
  });

  test('emits in a Worker', async () => {
    const { Miniflare } = createRequire(join(compatibilityFolder, 'package.json'))('miniflare');
    const source = `import { createClient } from '@hookwright/client';
export default {
  async fetch(_request, { HOOKWRIGHT_URL: url, HOOKWRIGHT_API_KEY: key }) {
    return Response.json(await createClient({ url, key }).emit('coupon.applied', { code: 'A', discount_type: 'x' }));
  },
};`;
    const dist = './node_modules/@hookwright/client/dist';
    const files = globSync(`${dist}/**/*.js`, { cwd: folder }).map((file) => relative('.', file));
    const worker = new Miniflare({
      modules: [
        { type: 'ESModule', path: 'worker.mjs', contents: source.replace('@hookwright/client', `${dist}/index.js`) },
        ...files.map((path) => ({ type: 'ESModule', path, contents: readFileSync(join(folder, path), 'utf8') })),
      ],
      bindings: settings,
      compatibilityDate: '2026-01-01',
    });
    onTestFinished(() => worker.dispose());
    const answer = await worker.dispatchFetch('http://localhost/');
    expect(await answer.json()).toEqual({ eventId: expect.stringMatching(/^ev_/), deliveryCount: 0, duplicate: false });
  });

  test('emits in a transaction as the example does', async () => {
    await using shop = await OutboxApplication.open(stack);
    await shop.pool.query(`create table ${shop.role}.bookings (code text)`);
    const env = { ...process.env, DATABASE_URL: shop.url, TENANT: String(stack.tenantId) };
    const { stdout } = await run(process.execPath, ['outbox.mjs'], { cwd: folder, env });
    expect(stdout).toMatch(/^Booked, as ev_\d+\n$/);
    const { rows } = await shop.pool.query(`select code from ${shop.role}.bookings`);
    expect(rows).toEqual([{ code: 'BK-2' }]);
  });
});
