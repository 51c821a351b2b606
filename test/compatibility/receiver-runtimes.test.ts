import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { examineReceiver } from '../../src/cli/developer/test-receiver/test-receiver.js';
import { formatSecret } from '../../src/domain/signing/secret.js';
import {
  compatibilityFolder,
  requireCompatibilityInstalled,
  skipsCompatibilityTests,
} from '../support/compatibility.js';
import { eventually } from '../support/eventually.js';
import { ReceiverPrograms } from '../support/receiver-programs.js';
import { signedHeaders } from '../support/signed-headers.js';

const run = promisify(execFile);
const secret = formatSecret(Buffer.alloc(33, 'a'));
const installed = join(compatibilityFolder, 'node_modules');
const bun = join(installed, '@oven/bun-linux-x64/bin/bun');
const deno = join(installed, '@deno/linux-x64-glibc/deno');

/** Programs that run a file of JavaScript. */
const runtimes: [name: string, program: string, args: string[]][] = [
  ['Node 20', join(installed, 'node-20/bin/node'), []],
  ['Node 22', join(installed, 'node-22/bin/node'), []],
  ['Node 24', process.execPath, []],
  ['Bun', bun, []],
  ['Deno', deno, ['run', '--no-lock', '--cached-only']],
];

let programs: ReceiverPrograms;
let vectorCount: number;

/** Answers to three deliveries: a good one, one that was altered, and one of an event without a handler. */
async function answersOf(fetchOf: typeof fetch, url: string): Promise<number[]> {
  const body = '{"booking_code": "BK-1","brand":"Übersee"}';
  const headers = signedHeaders({ secret, body, event: 'booking.created' });
  const other = signedHeaders({ secret, body, event: 'coupon.applied' });
  const requests: [Record<string, string>, string][] = [
    [headers, body],
    [headers, body.replace('1', '2')],
    [other, body],
  ];
  const answers = requests.map(([sent, text]) => fetchOf(url, { method: 'POST', headers: sent, body: text }));
  return (await Promise.all([...answers, fetchOf(url)])).map(({ status }) => status);
}

describe.skipIf(skipsCompatibilityTests())('a receiver', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    requireCompatibilityInstalled();
    programs = await ReceiverPrograms.open();
    const vectors = await readFile('packages/receiver/vectors/v1.json', 'utf8');
    vectorCount = JSON.parse(vectors).length;
    await programs.write('vectors.mjs', `export default ${vectors};`);
    await programs.copy('test/compatibility/check-vectors.mjs', 'check-vectors.mjs');
    await programs.write(
      'vectors-main.mjs',
      `import { verify } from '@hookwright/receiver';
import { checkVectors } from './check-vectors.mjs';
console.log(JSON.stringify(await checkVectors(verify)));`,
    );
  });
  afterAll(() => programs?.close());

  test.each(runtimes)('comes to the result of every public vector in %s', async (_name, program, args) => {
    const { stdout } = await run(program, [...args, 'vectors-main.mjs'], { cwd: programs.folder });
    expect(JSON.parse(stdout)).toEqual({ checked: vectorCount, wrong: [] });
  });

  test('can be required from CommonJS, and prints the SQL of its table', async () => {
    const program = join(installed, 'node-22/bin/node');
    const required = "console.log(typeof require('@hookwright/receiver/express').webhook)";
    await programs.write('required.cjs', required);
    expect((await run(program, ['required.cjs'], { cwd: programs.folder })).stdout).toBe('function\n');
    const command = 'node_modules/@hookwright/receiver/bin/hookwright-receiver.js';
    const { stdout } = await run(program, [command, 'sql'], { cwd: programs.folder });
    expect(stdout).toMatch(/^create table if not exists hookwright_deliveries \(/);
    await expect(run(program, [command], { cwd: programs.folder })).rejects.toThrow(
      'Usage: npx @hookwright/receiver sql',
    );
  });

  test.each([
    ['Bun', bun, (): string[] => ['run', 'worker.mjs']],
    ['Deno', deno, (port: string) => ['serve', '--no-lock', '--cached-only', '-NE', '--port', port, 'worker.mjs']],
  ])('of the web serves in %s', async (_name, program, args) => {
    const secretHere: [string, string] = ['(env) => env.WEBHOOK_SECRET', 'process.env.WEBHOOK_SECRET'];
    await programs.copy('examples/worker.mjs', 'worker.mjs', [secretHere]);
    const { url, printed } = await programs.serve(program, args, secret);
    expect(await answersOf(fetch, `${url}/webhooks`)).toEqual([200, 401, 200, 405]);
    await eventually(() => printed().includes('Booked BK-1'));
    // Its effects are not counted: the example remembers no deliveries.
    const outcomes = await examineReceiver(`${url}/webhooks`, { secret, pauseFactor: 0.1 });
    expect(outcomes.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  });

  test('of the web serves in a Worker, where the public vectors come to their results, too', async () => {
    const library = './node_modules/@hookwright/receiver/dist';
    await programs.copy('examples/worker.mjs', 'receiver.mjs', [
      ['@hookwright/receiver/fetch', `${library}/adapters/fetch.js`],
    ]);
    await programs.write(
      'cloudflare.mjs',
      `import { verify } from '${library}/index.js';
import { checkVectors } from './check-vectors.mjs';
import receiver from './receiver.mjs';
export default {
  fetch: async (request, environment) => request.url.endsWith('/vectors')
    ? Response.json(await checkVectors(verify))
    : receiver.fetch(request, environment),
};`,
    );
    const { Miniflare } = createRequire(join(compatibilityFolder, 'package.json'))('miniflare');
    const files = ['cloudflare.mjs', 'receiver.mjs', 'check-vectors.mjs', 'vectors.mjs'];
    files.push(...globSync(`${library}/**/*.js`, { cwd: programs.folder }).map((file) => relative('.', file)));
    const modules = await Promise.all(
      files.map(async (path) => ({
        type: 'ESModule',
        path,
        contents: await readFile(join(programs.folder, path), 'utf8'),
      })),
    );
    let printed = '';
    const worker = new Miniflare({
      modules,
      bindings: { WEBHOOK_SECRET: secret },
      compatibilityDate: '2026-01-01',
      handleRuntimeStdio: (...streams: Readable[]) => {
        for (const stream of streams) {
          stream.on('data', (text) => {
            printed += text;
          });
        }
      },
    });
    onTestFinished(() => worker.dispose());
    const fetchOf = worker.dispatchFetch.bind(worker);
    expect(await answersOf(fetchOf, 'http://localhost/webhooks')).toEqual([200, 401, 200, 405]);
    await eventually(() => printed.includes('Booked BK-1'));
    const checked = await (await fetchOf('http://localhost/vectors')).json();
    expect(checked).toEqual({ checked: vectorCount, wrong: [] });
  });
});
