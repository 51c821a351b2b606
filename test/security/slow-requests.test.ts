import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { makeTenant } from '../support/factories.js';
import { serve } from '../support/loopback.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open({
  REQUEST_TIMEOUT_MS: '1000',
  IDLE_TIMEOUT_MS: '1500',
  PIPELINED_REQUESTS_MAX: '8',
  CORS_ORIGINS: 'https://app.example.com',
});
const port = await serve(api.server);
const key = `Authorization: Bearer ${api.tenant.key}\r\n`;
await api.webhook();
afterAll(() => api[Symbol.asyncDispose]());

/** A client that sends any bytes and keeps the answers. */
class Attacker {
  answer = '';
  closed = false;

  private constructor(
    readonly socket: Socket,
    reads: boolean,
  ) {
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
    });
    if (reads) {
      socket.setEncoding('latin1').on('data', (chunk) => {
        this.answer += chunk;
      });
    }
  }

  static open({ reads = true } = {}): Promise<Attacker> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Attacker(socket, reads)));
      socket.once('error', reject);
    });
  }

  /** Sends the head at once and then one of the pieces after another, until it is cut off. */
  async drip(head: string, piece: string, everyMs = 20): Promise<void> {
    this.socket.write(head);
    const timer = setInterval(() => this.socket.writable && this.socket.write(piece), everyMs);
    await eventually(() => this.closed, 20_000).finally(() => clearInterval(timer));
  }

  get statuses(): number[] {
    return [...this.answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }
}

/** Every connection that the server knows of is cut in the end. */
const connections = promisify(api.server.server.getConnections.bind(api.server.server));

async function isHealthy(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks`, {
    headers: { authorization: `Bearer ${api.tenant.key}`, connection: 'close' },
  });
  expect(response.status).toBe(200);
  expect((await response.json()).data).toHaveLength(1);
}

describe('a client that takes its time is cut off, and others are served meanwhile', () => {
  beforeEach(() => eventually(async () => (await connections()) === 0, 20_000));

  /** While `attack` lasts, a healthy request is answered, however many of these there are. */
  async function whileAttacked(attack: (attacker: Attacker) => Promise<void>, reads = true): Promise<Attacker[]> {
    const attackers = await Promise.all(Array.from({ length: 20 }, () => Attacker.open({ reads })));
    const attacks = Promise.all(attackers.map(attack));
    await isHealthy();
    await isHealthy();
    await attacks;
    await isHealthy();
    return attackers;
  }

  const post = (path: string, headers: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${key}${headers}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const CHUNKED = 'Transfer-Encoding: chunked\r\n';

  test.each([
    ['headers that come letter by letter', 'GET /api/v1/webhooks HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n'],
    ['a REST body that comes byte by byte', post('/api/v1/webhooks', `${json}Content-Length: 60000\r\n`), ' '],
    ['a GraphQL body that comes byte by byte', post('/graphql', `${json}Content-Length: 4000000\r\n`), ' '],
    ['a chunked body without end', post('/graphql', `${json}${CHUNKED}`), '1\r\n \r\n'],
  ])('%s', async (_what, head, piece) => {
    const attackers = await whileAttacked((attacker) => attacker.drip(head, piece));
    expect(attackers.map(({ statuses }) => statuses)).toEqual(attackers.map(() => [408]));
    expect(attackers[0]?.answer).toMatch(/"code":"request_timeout"/i);
  });

  test('a body without end for a route that ignores bodies: the answer comes, and then the end', async () => {
    const attackers = await whileAttacked((attacker) =>
      attacker.drip(post('/api/v1/webhooks/999999/test', CHUNKED), '1\r\n \r\n'),
    );
    for (const { statuses } of attackers) {
      expect(statuses[0]).toBe(404);
    }
  });

  test.each([
    ['a body that is announced and never comes', post('/api/v1/webhooks', `${json}Content-Length: 100\r\n`), [408]],
    ['a request of which a single letter comes', 'G', [408]],
    ['a connection that is kept after its answer', 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', [200]],
    ['nothing at all: the end is without a word, which could be taken for an answer', '', []],
  ])('%s', async (_what, sent, statuses) => {
    const attackers = await whileAttacked((attacker) => attacker.drip(sent, ''));
    expect(attackers.map((attacker) => attacker.statuses)).toEqual(attackers.map(() => statuses));
    expect(attackers.map(({ answer }) => answer === '')).toEqual(attackers.map(() => sent === ''));
  });

  test('an answer that nobody reads', async () => {
    await api.ask('GET //graphiql'); // 9 MB, made when they are first wanted
    const attackers = await whileAttacked(async (attacker) => {
      attacker.socket.write('GET /graphiql HTTP/1.1\r\nHost: a\r\n\r\n');
    }, false);
    await eventually(async () => (await connections()) === 0, 20_000);
    for (const { socket } of attackers) {
      socket.destroy();
    }
  });
});

describe('requests that do not wait for the answers to those before', () => {
  const get = () => `GET /api/v1/webhooks HTTP/1.1\r\nHost: a\r\n${key}\r\n`;

  test('up to the limit they are answered, in their order', async () => {
    const client = await Attacker.open();
    client.socket.write(get().repeat(8));
    await eventually(() => client.statuses.length === 8);
    expect(client.statuses).toEqual(Array(8).fill(200));
    client.socket.write(get()); // those before are done: the connection is as good as new
    await eventually(() => client.statuses.length === 9);
    client.socket.destroy();
  });

  test.each([
    ['REST', '/api/v1/webhooks', 'application/problem+json'],
    ['GraphQL', '/graphql', 'application/json'],
  ])('beyond it %s refuses and ends the connection', async (_name, path, type) => {
    const client = await Attacker.open();
    client.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`.repeat(2000));
    await eventually(() => client.closed);
    const { statuses } = client;
    expect(statuses.length).toBeLessThan(20);
    expect(statuses.at(-1)).toBe(429);
    const last = client.answer.slice(client.answer.lastIndexOf('HTTP/1.1 '));
    expect(last).toMatch(/^retry-after: 1\r$/im);
    expect(last).toMatch(/^connection: close\r$/im);
    expect(last.toLowerCase()).toContain(`content-type: ${type}`);
    await isHealthy();
  });
});

test('preflights count like all requests, and leave room for no more of them', async () => {
  const preflight =
    'OPTIONS /graphql HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example.com\r\nAccess-Control-Request-Method: POST\r\n\r\n';
  const client = await Attacker.open();
  for (let sent = 8; sent <= 40; sent += 8) {
    client.socket.write(preflight.repeat(8));
    await eventually(() => client.statuses.length === sent);
  }
  expect(client.statuses).toEqual(Array(40).fill(204));
  client.socket.write(`GET /api/v1/webhooks HTTP/1.1\r\nHost: a\r\n${key}\r\n`.repeat(40));
  await eventually(() => client.closed);
  const { statuses } = client;
  expect(statuses.at(-1)).toBe(429);
  expect(statuses.slice(40).filter((status) => status === 200).length).toBeLessThan(20);
});

describe('the limits that are in every process', () => {
  test('no limit that Node has is off, and those of the settings are in force', async () => {
    await using usual = await RestApi.open();
    const { server } = usual.server;
    expect(server).toMatchObject({
      requestTimeout: 30_000,
      headersTimeout: 15_000,
      timeout: 60_000,
      keepAliveTimeout: 72_000,
    });
    expect(server.maxHeadersCount ?? 2000).toBeGreaterThan(0);
  });

  test('headers of more than 16 KiB are refused', async () => {
    const client = await Attacker.open();
    client.socket.write(`GET /health/live HTTP/1.1\r\nHost: a\r\n${'X-A: b\r\n'.repeat(3000)}\r\n`);
    await eventually(() => client.closed);
    expect(client.statuses).toEqual([431]);
  });
});

describe('bodies that are announced and do not come', () => {
  const announced = (apiKey: string, length: string) =>
    `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n${length}\r\n`;

  test.each([
    ['of the longest length', 'Content-Length: 4194304\r\n'],
    ['of unknown length', 'Transfer-Encoding: chunked\r\n'],
  ])('take room of their tenant alone, 32 of them, %s, until they are given up', async (_name, length) => {
    const [tenant, other] = [await makeTenant(api.services), await makeTenant(api.services)];
    const open = async (apiKey: string) => {
      const attacker = await Attacker.open();
      attacker.socket.write(announced(apiKey, length));
      return attacker;
    };
    const answered = async (apiKey: string) => {
      const attacker = await open(apiKey);
      attacker.socket.write(length.startsWith('Transfer') ? '0\r\n\r\n' : ' '.repeat(4_194_304));
      await eventually(() => attacker.statuses.length > 0, 20_000);
      attacker.socket.destroy();
      return attacker;
    };
    const held: Attacker[] = [];
    for (let n = 0; n < 32; n++) {
      held.push(await open(tenant.key));
    }
    const refused = await answered(tenant.key);
    expect(refused.statuses).toEqual([429]);
    expect(refused.answer).toMatch(/retry-after: 1\r\n/i);
    expect(refused.answer).toContain('The bodies that this tenant is sending already have');
    expect((await answered(other.key)).statuses).toEqual([400]); // there is no JSON in it
    held[0]!.socket.destroy();
    await eventually(async () => (await answered(tenant.key)).statuses[0] === 400, 20_000);
    for (const { socket } of held) {
      socket.destroy();
    }
  });
});
