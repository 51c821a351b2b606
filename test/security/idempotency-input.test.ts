import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/platform/settings/config.js';
import { ApiOverSockets, type RawAnswer } from '../support/api-over-sockets.js';
import { createTestDatabase } from '../support/database.js';
import { countEvents, makeTenant, openTestServices } from '../support/factories.js';

let logged = '';
const write = (text: string) => {
  logged += text;
};

const { url, drop } = await createTestDatabase();
const services = { ...(await openTestServices(url)), log: pino({ level: 'trace' }, { write }) };
const tenant = await makeTenant(services);
const api = await ApiOverSockets.open(services, tenant.id);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await services.db.close();
  await drop();
});

const EMIT = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } duplicate } }';
const payload = { code: 'X', discount_type: 'fixed' };

const emit = (input: Record<string, unknown>): Promise<RawAnswer> =>
  api.graphql(EMIT, { input: { event: 'coupon.applied', payload, ...input } });

const accepted: [what: string, key: string][] = [
  ['1 character', 'k'],
  ['255 characters', 'k'.repeat(255)],
  ['254 characters', 'k'.repeat(254)],
  ['a space', ' '],
  ['two spaces', '  '],
  ['a space at the end', 'k '],
  ['a capital', 'K'],
  ['quotes and backslashes', '"\'`\\'],
  ['braces, as arrays of Postgres have them', '{NULL,"a"}'],
  ['the word NULL', 'NULL'],
  ['SQL', "'; drop table hookwright.idempotency_keys; --"],
  ['an escape that is none', '\\u0000%00\\x00'],
  ['a member of objects', '__proto__'],
  ['every printable character', Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')],
];

const refused: [what: string, key: unknown, status: number][] = [
  ['no characters', '', 200],
  ['256 characters', 'k'.repeat(256), 200],
  ['a million characters', 'k'.repeat(1_000_000), 200],
  ['NUL', 'k\0', 200],
  ['NUL alone', '\0', 200],
  ['a line end', 'k\r\nX-Injected: 1', 200],
  ['a line feed at the end', 'k\n', 200],
  ['a tab', 'k\tk', 200],
  ['an escape sequence of a terminal', '\u001b[2J', 200],
  ['DEL', 'k\u007f', 200],
  ['a letter beyond ASCII', 'kä', 200],
  ['a no-break space', 'k\u00a0', 200],
  ['a line separator', 'k\u2028', 200],
  ['an emoji', '😀', 200],
  ['a lone surrogate', '\ud800', 200],
  ['a byte order mark', '\ufeffk', 200],
  ['a fullwidth letter', 'ｋ', 200],
  ['a number', 1, 400],
  ['true', true, 400],
  ['a list', ['k'], 400],
  ['an object', { k: 1 }, 400],
];

describe('idempotency keys', () => {
  test.each(accepted)('of %s make one event, and no key is taken for another', async (_what, key) => {
    const first = await emit({ idempotencyKey: key });
    const second = await emit({ idempotencyKey: key });
    expect(first.body).toMatchObject({ data: { emitEvent: { duplicate: false } } });
    expect(second.body.data.emitEvent).toEqual({ ...first.body.data.emitEvent, duplicate: true });
  });

  test.each(refused)('of %s are refused at their place, and make no event', async (_what, key, status) => {
    const before = await countEvents(services, tenant.id);
    const answer = await emit({ idempotencyKey: key });
    expect(answer.status).toBe(status);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input', 'idempotencyKey'], detail: expect.stringMatching(/./) }],
    });
    expect(answer.text.length).toBeLessThan(1000); // it does not repeat the key
    expect(await countEvents(services, tenant.id)).toBe(before);
  });

  test('null is none', async () => {
    for (const _ of [1, 2]) {
      expect((await emit({ idempotencyKey: null })).body.data.emitEvent.duplicate).toBe(false);
    }
  });
});

const odd: [what: string, text: string][] = [
  ['a line end', 'coupon.applied\r\nX-Injected: 1'],
  ['a line feed at the end', 'coupon.applied\n'],
  ['NUL', 'coupon.applied\0'],
  ['a space', ' coupon.applied'],
  ['a lone surrogate', '\ud800'],
  ['a member of objects', '__proto__'],
  ['another member of objects', 'constructor'],
  ['capitals', 'Coupon.Applied'],
  ['a fullwidth letter', 'ｃoupon.applied'],
  ['a wildcard', '*'],
  ['nothing', ''],
  ['a million characters', 'a.'.repeat(500_000)],
];

describe('names of event types', () => {
  test.each(odd)(
    'with %s are unknown when they are emitted, and cannot be registered past the API',
    async (_what, event) => {
      const answer = await emit({ event });
      expect(answer.status).toBe(200);
      expect(answer.body.errors[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: [{ path: ['input', 'event'], code: 'event_type_unknown' }],
      });
      expect(answer.text.length).toBeLessThan(2000);
      const insert = `insert into hookwright.event_types (name, description, schema) values ($1, 'd', '{}')`;
      await expect(services.db.pool.query(insert, [event])).rejects.toThrow();
    },
  );
});

test.each(['X-A\r\nX-Injected: 1', 'X-A\n', 'X A', 'X-A:', 'X-Ä', '-X', '1X', 'X\0', 'X'.repeat(65)])(
  'HEADER_PREFIX %j stops the start',
  (prefix) => {
    expect(() => readConfig({ HEADER_PREFIX: prefix })).toThrow(ConfigError);
  },
);

describe('the header X-Request-Id', () => {
  const uuid = /^x-request-id: [0-9a-f]{8}-[0-9a-f-]{27}\r$/im;

  /** Asks for something that goes wrong, which is logged, with these bytes in the header. */
  function askRaw(id: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
      const head = `GET /api/v1/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: ${id}\r\n\r\n`;
      socket.write(head, 'latin1');
    });
  }

  test.each([
    ['quotes', '"},{"level":50,"msg":"x', 404],
    ['letters beyond ASCII', '\xe4\xff', 404],
    ['129 characters', 'a'.repeat(129), 404],
    ['spaces', 'a b', 404],
    ['a tab', 'a\tb', 404],
    ['HTML', '<script>', 404],
    ['escaped line ends', '%0d%0aX-Injected:1', 404],
    ['nothing', '', 404],
    ['two headers', 'a\r\nX-Request-Id: b', 404],
    ['an escape sequence of a terminal', 'a\x1b[2J', 400],
    ['NUL', 'a\0b', 400],
    ['a carriage return', 'a\rX-Injected: 1', 400],
  ])('with %s is replaced, or makes the request none', async (_what, id, status) => {
    const answer = await askRaw(id);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(uuid.test(answer)).toBe(status === 404);
    expect(answer).not.toContain('Injected');
  });

  test('with an id of the caller is kept, in the answer and in the log', async () => {
    expect(await askRaw('order-1:2@x')).toMatch(/^x-request-id: order-1:2@x\r$/im);
    expect(logged).toContain('"requestId":"order-1:2@x"');
  });
});

test('what strangers have sent is in the log escaped, or not at all', () => {
  expect(logged).toContain('request answered');
  for (const line of logged.split('\n').filter((text) => text !== '')) {
    expect(JSON.parse(line)).toBeTypeOf('object');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(line).not.toMatch(/[\x00-\x1f\x7f]/);
  }
  expect(logged).not.toContain('Injected');
  expect(logged).not.toContain('drop table');
});
