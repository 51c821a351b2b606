import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatSecret } from '../../src/domain/signing/secret.js';
import { requireCompatibilityInstalled, skipsCompatibilityTests } from '../support/compatibility.js';
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
  expect(await deliver(endpoint, { body: bodyOf('x'.repeat(1_000_000)) })).toBe('200 handled');
  expect(await send(endpoint, headers, body.replace('once', 'ecno'))).toMatch(/^401 WRONG_SECRET: /);
  expect(await send(endpoint, headers, JSON.stringify(JSON.parse(body)))).toMatch(/^401 /);
  expect((await fetch(endpoint)).status).toBe(405);
  await eventually(() => printed().includes(`Booked once-${id - 2}`));
  expect(printed().split(`Booked once-${id - 2}`)).toHaveLength(2);
}

const serveNode = (program: string) => programs.serve(process.execPath, () => [program], secret);
const example = async (name: string, changes: [from: string, to: string][] = []) =>
  serveNode(await programs.copy(`examples/${name}.mjs`, `${name}-${++id}.mjs`, changes));

describe.skipIf(skipsCompatibilityTests())('a receiver', () => {
  beforeAll(async () => {
    requireCompatibilityInstalled();
    programs = await ReceiverPrograms.open();
  });
  afterAll(() => programs?.close());

  test('has types that fit those of the frameworks, and knows the payload of each event', async () => {
    await programs.copy('test/compatibility/receiver-types.mts', 'receiver-types.mts');
    await programs.compile('--noEmit', '--types', 'node', 'receiver-types.mts');
  });

  describe('in Express', () => {
    test.each(['express', 'express-4'])('takes the body of %s before the JSON parser', async (version) => {
      await meetsEverything(await example('express', [["from 'express'", `from '${version}'`]]));
    });

    test.each(['express', 'express-4'])('names the line to change when %s has parsed the body', async (version) => {
      const above = (line: string): [string, string][] => [
        ["from 'express'", `from '${version}'`],
        ['const app = express();', `const app = express();\n${line}`],
      ];
      const { url } = await example('express', above('app.use(express.json());'));
      const answer = await deliver(`${url}/webhooks`);
      expect(answer).toMatch(/^500 BODY_PARSED: .* Move the route above app\.use\(express\.json\(\)\), or/);
      const [, line = ''] = /(express\.json\(\{ verify: .*\}\))\.$/.exec(answer) ?? [];
      await meetsEverything(
        await example(
          'express',
          above(`app.use(${line.replace('(', "({ limit: '2mb', ...").replace(', ...{', ', ')});`),
        ),
      );
    });
  });

  test('in Fastify takes the body, with parsers for all of the application', async () => {
    const parsers = `const app = Fastify();
app.removeContentTypeParser('application/json');
app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, async (_request, body) => JSON.parse(body));`;
    await meetsEverything(await example('fastify', [['const app = Fastify();', parsers]]));
  });

  describe('in Hono', () => {
    const before = (line: string): [string, string][] => [
      ['const app = new Hono();', `const app = new Hono();\napp.use(async (c, next) => { ${line}; await next(); });`],
    ];

    test('takes the body, also when a middleware has parsed it', async () => {
      await meetsEverything(await example('hono'));
      await meetsEverything(await example('hono', before("if (c.req.method === 'POST') await c.req.json()")));
    });

    test('names the line to change when a middleware has read the request itself', async () => {
      const { url } = await example('hono', before("if (c.req.method === 'POST') await c.req.raw.json()"));
      expect(await deliver(`${url}/webhooks`)).toMatch(/^500 BODY_PARSED: .* Read it by c\.req\.text\(\)/);
    });
  });

  describe('in Nest', () => {
    const nest = async (name: string, changes: [from: string, to: string][]) => {
      await programs.copy('examples/nest/main.ts', `${name}.mts`, changes);
      const decorators = ['--experimentalDecorators', '--emitDecoratorMetadata'];
      await programs.compile(...decorators, '--types', 'node', `${name}.mts`);
      return serveNode(`${programs.folder}/${name}.mjs`);
    };

    test('takes the bytes that Nest keeps, and the services of the application', async () => {
      const bigger: [string, string] = [
        'await app.listen',
        "app.useBodyParser('json', { limit: '2mb' });\nawait app.listen",
      ];
      const express = "import type { NestExpressApplication } from '@nestjs/platform-express';\n";
      await meetsEverything(
        await nest('nest', [
          bigger,
          ['NestFactory.create(', 'NestFactory.create<NestExpressApplication>('],
          ['import {', `${express}import {`],
        ]),
      );
    });

    test('does so on Fastify', async () => {
      const fastify = "import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';\n";
      await meetsEverything(
        await nest('nest-fastify', [
          ['import {', `${fastify}import {`],
          [
            'NestFactory.create(AppModule, ',
            'NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), ',
          ],
        ]),
      );
    });

    test('names the line to change where Nest keeps no bytes', async () => {
      const { url } = await nest('nest-parsed', [['rawBody: true, ', '']]);
      expect(await deliver(`${url}/webhooks`)).toMatch(
        /^500 BODY_PARSED: .*NestFactory\.create\(AppModule, \{ rawBody/,
      );
    });
  });

  test('in Next takes the body in both routers, or names the line to change', { timeout: 120_000 }, async () => {
    await programs.write('next/package.json', '{ "type": "module" }');
    await programs.copy('examples/next/app/webhooks/route.js', 'next/app/webhooks/route.js');
    const page = 'examples/next/pages/api/webhooks.js';
    await programs.copy(page, 'next/pages/api/webhooks.js');
    await programs.copy(page, 'next/pages/api/parsed.js', [['export const config', 'const config']]);
    const next = '../node_modules/next/dist/bin/next';
    const server = await programs.serve(process.execPath, (port) => [next, 'dev', '-p', port, 'next'], secret);
    await meetsEverything(server);
    await meetsEverything(server, '/api/webhooks');
    expect(await deliver(`${server.url}/api/parsed`)).toMatch(
      /^500 BODY_PARSED: .*export const config = \{ api: \{ bodyParser: false \} \}/,
    );
  });
});
