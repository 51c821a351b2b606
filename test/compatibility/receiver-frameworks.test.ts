import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examineReceiver } from '../../src/cli/developer/test-receiver/test-receiver.js';
import { formatSecret } from '../../src/domain/signing/secret.js';
import { requireCompatibilityInstalled, skipsCompatibilityTests } from '../support/compatibility.js';
import { startEffects } from '../support/effects.js';
import { eventually } from '../support/eventually.js';
import { ReceiverPrograms, type ReceiverServer } from '../support/receiver-programs.js';
import { signedHeaders } from '../support/signed-headers.js';

const secret = formatSecret(Buffer.alloc(33, 'a'));
/** Bytes that no parser would write again: they verify as they came, or not at all. */
const bodyOf = (code: string) => `{"booking_code": "${code}", "brand":"\\u00dcbersee/Ü", "price":1.0}`;
let programs: ReceiverPrograms;
let id = 0;

async function send(url: string, headers: Record<string, string>, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result, reason, message } = await response.json();
  return `${response.status} ${result ?? `${reason}: ${message}`}`;
}

/** One delivery as the service sends it. */
function deliver(url: string, { event = 'booking.created', body = bodyOf('BK-1') } = {}): Promise<string> {
  return send(url, signedHeaders({ secret, body, event, id: ++id }), body);
}

/** What every receiver does. `printed` once: a repetition runs no handler. */
async function meetsEverything({ url, printed }: ReceiverServer, path = '/webhooks'): Promise<void> {
  const [body, endpoint] = [bodyOf(`once-${++id}`), `${url}${path}`];
  const headers = signedHeaders({ secret, body, event: 'booking.created', id });
  expect(await send(endpoint, headers, body)).toBe('200 handled');
  expect(await send(endpoint, headers, body)).toBe('200 duplicate');
  expect(await deliver(endpoint, { event: 'coupon.applied' })).toBe('200 ignored');
  expect(await deliver(endpoint, { body: bodyOf('x'.repeat(1_048_576)) })).toBe('200 handled');
  expect(await send(endpoint, headers, body.replace('once', 'ecno'))).toMatch(/^401 WRONG_SECRET: /);
  expect(await send(endpoint, headers, JSON.stringify(JSON.parse(body)))).toMatch(/^401 /);
  expect((await fetch(endpoint)).status).toBe(405);
  await eventually(() => printed().includes(`Booked once-${id - 2}`));
  expect(printed().split(`Booked once-${id - 2}`)).toHaveLength(2);
}

/** `hookwright test-receiver` has nothing to complain of either. */
async function passesTestReceiver(server: ReceiverServer, path = '/webhooks'): Promise<void> {
  await meetsEverything(server, path);
  using effects = await startEffects(() => server.printed().split('Booked BK-').length - 1);
  const outcomes = await examineReceiver(`${server.url}${path}`, { secret, effectUrl: effects.url, pauseFactor: 0.1 });
  expect(outcomes.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
}

const serveNode = (program: string) => programs.serve(process.execPath, () => [program], secret);
const example = async (name: string, changes: [from: string, to: string][] = []) =>
  serveNode(await programs.copy(`examples/${name}.mjs`, `${name}-${++id}.mjs`, changes));

/** Nest's example, as it is and with other lines. */
const nests: Record<string, [from: string, to: string][]> = {
  nest: [],
  'nest-fastify': [
    [
      "import type { NestExpressApplication } from '@nestjs/platform-express'",
      "import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'",
    ],
    ['<NestExpressApplication>(AppModule, ', '<NestFastifyApplication>(AppModule, new FastifyAdapter(), '],
    ["'json', { limit: '2mb' }", "'application/json', { bodyLimit: 2_097_152 }"],
  ],
  'nest-parsed': [['rawBody: true, ', '']],
};
let compiled: Promise<void>;

async function serveNest(name: string): Promise<ReceiverServer> {
  await compiled;
  return serveNode(`${programs.folder}/${name}.mjs`);
}

describe.skipIf(skipsCompatibilityTests())('a receiver', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    requireCompatibilityInstalled();
    programs = await ReceiverPrograms.open();
    await programs.copy('test/compatibility/receiver-types.mts', 'receiver-types.mts');
    for (const [name, changes] of Object.entries(nests)) {
      await programs.copy('examples/nest/main.ts', `${name}.mts`, changes);
    }
    const files = ['receiver-types', ...Object.keys(nests)].map((name) => `${name}.mts`);
    compiled = programs.compile('--experimentalDecorators', '--emitDecoratorMetadata', '--types', 'node', ...files);
    compiled.catch(() => {}); // the tests wait for it
  });
  afterAll(() => programs?.close());

  test('has types that fit those of the frameworks, and knows the payload of each event', () => compiled);

  describe('in Express', () => {
    test.each(['express', 'express-4'])('takes the body of %s before the JSON parser', async (version) => {
      await passesTestReceiver(await example('express', [["from 'express'", `from '${version}'`]]));
    });

    test.each(['express', 'express-4'])('names the line to change when %s has parsed the body', async (version) => {
      const above = (line: string): [string, string][] => [
        ["from 'express'", `from '${version}'`],
        ['const app = express();', `const app = express();\n${line}`],
      ];
      const { url } = await example('express', above('app.use(express.json());'));
      const answer = await deliver(`${url}/webhooks`);
      expect(answer).toMatch(/^500 BODY_PARSED: .* Move the route above app\.use\(express\.json\(\)\), or/);
      const [, verify = ''] = /express\.json\(\{ (verify: .*) \}\)\.$/.exec(answer) ?? [];
      await meetsEverything(await example('express', above(`app.use(express.json({ limit: '2mb', ${verify} }));`)));
    });
  });

  test('in Fastify takes the body, with parsers for all of the application', async () => {
    const parsers = `const app = Fastify();
app.removeContentTypeParser('application/json');
app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, async (_request, body) => JSON.parse(body));`;
    await passesTestReceiver(await example('fastify', [['const app = Fastify();', parsers]]));
  });

  describe('in Hono', () => {
    const before = (line: string): [string, string][] => [
      ['const app = new Hono();', `const app = new Hono();\napp.use(async (c, next) => { ${line}; await next(); });`],
    ];

    test('takes the body, also when a middleware has parsed it', async () => {
      await passesTestReceiver(await example('hono'));
      await meetsEverything(await example('hono', before("if (c.req.method === 'POST') await c.req.json()")));
    });

    test('names the line to change when a middleware has read the request itself', async () => {
      const { url } = await example('hono', before("if (c.req.method === 'POST') await c.req.raw.json()"));
      expect(await deliver(`${url}/webhooks`)).toMatch(/^500 BODY_PARSED: .* Read it by c\.req\.text\(\)/);
    });
  });

  test('in Nest takes the bytes that Nest keeps, and the services of the application', async () => {
    await passesTestReceiver(await serveNest('nest'));
  });

  test('in Nest on Fastify does so, too', async () => {
    await meetsEverything(await serveNest('nest-fastify'));
  });

  test('in Nest names the line to change where Nest keeps no bytes', async () => {
    const { url } = await serveNest('nest-parsed');
    expect(await deliver(`${url}/webhooks`)).toMatch(/^500 BODY_PARSED: .*NestFactory\.create\(AppModule, \{ rawBody/);
  });

  test('in Next takes the body in both routers, or names the line to change', async () => {
    await programs.write('next/package.json', '{ "type": "module" }');
    await programs.copy('examples/next/app/webhooks/route.js', 'next/app/webhooks/route.js');
    const page = 'examples/next/pages/api/webhooks.js';
    await programs.copy(page, 'next/pages/api/webhooks.js');
    await programs.copy(page, 'next/pages/api/parsed.js', [['export const config', 'const config']]);
    const next = '../node_modules/next/dist/bin/next';
    const server = await programs.serve(process.execPath, (port) => [next, 'dev', '-p', port, 'next'], secret);
    await passesTestReceiver(server);
    await passesTestReceiver(server, '/api/webhooks');
    expect(await deliver(`${server.url}/api/parsed`)).toMatch(
      /^500 BODY_PARSED: .*export const config = \{ api: \{ bodyParser: false \} \}/,
    );
  });
});
