import { createServer, type RequestListener } from 'node:http';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { webhook as expressWebhook } from '../../packages/receiver/src/adapters/express.js';
import { webhook as fastifyWebhook } from '../../packages/receiver/src/adapters/fastify.js';
import { webhook as fetchWebhook } from '../../packages/receiver/src/adapters/fetch.js';
import { webhook as honoWebhook } from '../../packages/receiver/src/adapters/hono.js';
import { webhook as nestWebhook } from '../../packages/receiver/src/adapters/nest.js';
import { webhook as nextWebhook } from '../../packages/receiver/src/adapters/next.js';
import { memory } from '../../packages/receiver/src/dedupe/index.js';
import { openServer } from '../support/loopback.js';
import { signedHeaders } from '../support/signed-headers.js';

/** A service asks whether deliveries are wanted: who has the secret answers by itself. */

const secret = `whsec_${Buffer.alloc(33, 'a').toString('base64')}`;
const other = `whsec_${Buffer.alloc(33, 'b').toString('base64')}`;
const BODY = '{"challenge":"Zq3-xUj_9c"}';
const handled: string[] = [];
const options = {
  secret,
  on: { '*': ({ event }: { event: string }) => handled.push(event) },
  dedupe: memory(),
  onRefused: () => {},
};

type Asked = { signedBy?: string; body?: string; event?: string };

const asking = ({ signedBy = secret, body = BODY, event = 'webhook.challenge' }: Asked = {}) => ({
  method: 'POST',
  headers: signedHeaders({ secret: signedBy, body, event }),
  body,
});

const over = async (listener: RequestListener, asked: Asked) => {
  const { port, close } = await openServer(createServer(listener));
  const answer = await fetch(`http://127.0.0.1:${port}/`, asking(asked));
  const said = { status: answer.status, text: await answer.text() };
  await close();
  return said;
};
const of = async (response: Response | Promise<Response>) => {
  const answer = await response;
  return { status: answer.status, text: await answer.text() };
};
const webRequest = (asked: Asked) => new Request('http://localhost/', asking(asked));

const adapters: Record<string, (asked: Asked) => Promise<{ status: number; text: string }>> = {
  express: (asked) => over((request, response) => void expressWebhook(options)(request, response), asked),
  fetch: (asked) => of(fetchWebhook(options)(webRequest(asked))),
  hono: (asked) => {
    const raw = webRequest(asked);
    return of(honoWebhook(options)({ req: { raw, arrayBuffer: () => raw.arrayBuffer() } }));
  },
  nest: (asked) => over((request, response) => void nestWebhook(options)(request, response), asked),
  'next, app router': (asked) => of(nextWebhook(options)(webRequest(asked))),
  'next, pages router': (asked) => over((request, response) => void nextWebhook(options)(request, response), asked),
  fastify: async (asked) => {
    const app = fastify();
    await app.register(fastifyWebhook(options) as never, { prefix: '/hooks' });
    const { method, headers, body } = asking(asked);
    const answer = await app.inject({ method: method as 'POST', url: '/hooks', headers, payload: body });
    await app.close();
    return { status: answer.statusCode, text: answer.payload };
  },
};

describe.each(Object.entries(adapters))('the adapter for %s', (_, ask) => {
  test('gives back a challenge that its secret verifies, each time, and no handler sees it', async () => {
    handled.length = 0;
    expect(await ask({})).toEqual({ status: 200, text: BODY });
    expect(await ask({})).toEqual({ status: 200, text: BODY });
    expect(handled).toEqual([]);
  });

  test('gives back nothing that another secret has signed', async () => {
    const { status, text } = await ask({ signedBy: other });
    expect(status).toBe(401);
    expect(text).not.toContain('Zq3-xUj_9c');
  });
});

test('a payload with more than a challenge is a delivery, whatever its header says', async () => {
  for (const body of ['{"challenge":"x","code":"A"}', '{"challenge":7}', '["challenge"]', 'null', '{}']) {
    handled.length = 0;
    const { status, text } = await of(fetchWebhook({ ...options, dedupe: undefined })(webRequest({ body })));
    expect([status, text, handled]).toEqual([200, '{"result":"handled"}', ['webhook.challenge']]);
  }
});
