import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiOverSockets, type RawAnswer } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { countEvents } from '../support/factories.js';
import { signatureOf } from '../support/operational-news.js';
import { acceptedPayloads, refusedPayloads } from '../support/payload-texts.js';
import type { Received } from '../support/receiver.js';

const stack = await DeliveryStack.open();
const api = await ApiOverSockets.open(stack.services, stack.tenantId);
const receiver = await stack.endpoint();
await stack.rows(
  `insert into hookwright.event_types (name, description, schema)
   values ('thing.happened', 'Anything at all.', '{"type":"object"}')`,
);
stack.startDaemon();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const SELECTED = 'emitEvent(input: $input) { event { id body payload deliveries { edges { node { databaseId } } } } }';

/** Emits a payload as its very text, past every serialiser of ours. */
function emitText(text: string | Buffer): Promise<RawAnswer> {
  const query = JSON.stringify(`mutation ($input: EmitEventInput!) { ${SELECTED} }`);
  const before = `{"query":${query},"variables":{"input":{"event":"thing.happened","payload":`;
  return api.post('/graphql', Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from('}}}')]));
}

/** Emits a payload that is written into the document, as GraphQL has it. */
function emitLiteral(literal: string, variables: Record<string, unknown> = {}, declared = ''): Promise<RawAnswer> {
  const input = `{event: "thing.happened", payload: ${literal}}`;
  return api.graphql(`mutation M${declared} { ${SELECTED.replace('$input', input)} }`, variables);
}

/** What has arrived of an event that was accepted. */
async function arrived({ status, body }: RawAnswer): Promise<Received> {
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  const [{ node }] = body.data.emitEvent.event.deliveries.edges;
  const id = String(node.databaseId);
  return eventually(() => receiver.received.find(({ headers }) => headers['webhook-id'] === id), 20_000);
}

function expectSigned({ body, headers }: Received): void {
  const { secret } = receiver;
  expect(headers['x-service-signature']).toBe(signatureOf(secret, body));
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const base64 = createHmac('sha256', key).update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${base64}`);
  new StandardWebhook(secret).verify(body, headers as Record<string, string>); // throws
  expect(headers['content-length']).toBe(String(body.length));
}

describe('a payload in variables arrives as JSON.stringify writes it', () => {
  test('there are at least 40', () => {
    expect(acceptedPayloads.length).toBeGreaterThanOrEqual(40);
  });

  test.each(acceptedPayloads)('$what', async ({ text, becomes = text }) => {
    const answer = await emitText(text);
    const request = await arrived(answer);
    expect(request.body.equals(Buffer.from(becomes))).toBe(true);
    expect(request.body.toString()).toBe(JSON.stringify(JSON.parse(text)));
    expectSigned(request);
    const { event } = answer.body.data.emitEvent;
    expect(event.body).toBe(becomes);
    expect(JSON.stringify(event.payload)).toBe(becomes);
  });

  test('a byte order mark before the request is not part of it', async () => {
    const query = `mutation ($input: EmitEventInput!) { ${SELECTED} }`;
    const variables = { input: { event: 'thing.happened', payload: { a: 1 } } };
    const answer = await api.post('/graphql', `\ufeff${JSON.stringify({ query, variables })}`);
    expect((await arrived(answer)).body.toString()).toBe('{"a":1}');
  });

  test('nothing of ours has learned from __proto__', () => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a payload as text', () => {
  const emitBody = (body: string, more: object = {}) =>
    api.graphql(`mutation ($input: EmitEventInput!) { ${SELECTED} }`, {
      input: { event: 'thing.happened', body, ...more },
    });
  const outboxForm = async (text: string) => {
    const { rows } = await stack.services.db.pool.query('select hookwright.unescaped_body($1) as text', [text]);
    return rows[0].text;
  };
  const issueOf = async (answer: Promise<RawAnswer>) => (await answer).body.errors[0].extensions.errors[0];

  test('arrives as it is: spaces, order, and integers above 2⁵³', async () => {
    const text = '{ "b" : 9007199254740993,\n"a":1.0, "c":"\u00e9\\n" }';
    const request = await arrived(await emitBody(text));
    expect(request.body.toString()).toBe(text);
    expectSigned(request);
  });

  const unchecked = acceptedPayloads.filter(({ what }) => !what.includes('twice'));
  test('is stored as the outbox stores it, whatever it is', async () => {
    expect(unchecked.length).toBe(acceptedPayloads.length - 2);
    for (const { what, text } of unchecked) {
      const { body } = await emitBody(text);
      expect(body.data?.emitEvent.event.body, what).toBe(await outboxForm(text));
    }
  });

  test.each([
    ...['\\u0041\\u002f\\u003C\\u0027\\u0020\\u007e\\/', '\\\\u00e9 \\\\\\u00e9', '\\u0085\\uffff\\uD83D\\uDE00'],
    ...['\\"\\\\\\u0022\\u005c\\u005C', '\\b\\f\\n\\r\\t\\u0000\\u0008\\u001F', '\\ud83d\\ud83d\\ude00 \\ude00\\uDBFF'],
  ])('loses the same escapes as in the outbox: %s', async (escapes) => {
    const text = `{"a":"${escapes}"}`;
    expect((await emitBody(text)).body.data.emitEvent.event.body).toBe(await outboxForm(text));
  });

  test('has no half characters: they are escaped', async () => {
    const { body } = await emitBody('{"a":"x\ud800y"}');
    expect(body.data.emitEvent.event.body).toBe('{"a":"x\\ud800y"}');
  });

  const refused = ['a brace too few', '65 levels', 'a line end in a text', '[] in the place of an object'];
  test.each([
    ...refusedPayloads.filter(({ what, code }) => refused.includes(what) || code === 'PAYLOAD_TOO_LARGE'),
    { what: 'a field twice', text: '{"a":1,"b":[{"c":1,"\\u0063":2}]}' },
  ])('is refused: $what', async ({ text }) => {
    expect(await issueOf(emitBody(text))).toMatchObject({ path: ['input', 'body'] });
  });

  test('must match the schema of its type, and is named as body', async () => {
    const issue = await issueOf(emitBody('{"code":"A"}', { event: 'coupon.applied' }));
    expect(issue).toMatchObject({ path: ['input', 'body', 'discount_type'], code: 'schema_required' });
  });

  test('is in place of the payload: both or neither are refused', async () => {
    expect(await issueOf(emitBody('{}', { payload: {} }))).toMatchObject({ code: 'payload_or_body', path: ['input'] });
    expect(await issueOf(emitBody('{}', { body: null }))).toMatchObject({ code: 'payload_or_body' });
    expect((await emitText('null')).body.errors[0].extensions.errors[0]).toMatchObject({ code: 'payload_or_body' });
  });

  test('has a key with the payload of the same text, and no other', async () => {
    const first = await emitBody('{"a":"\\/"}', { idempotencyKey: 'text' });
    const again = await emitBody('', { body: null, payload: { a: '/' }, idempotencyKey: 'text' });
    expect(again.body.data.emitEvent.event.id).toBe(first.body.data.emitEvent.event.id);
    expect(codesOf(await emitBody('{"a": "/"}', { idempotencyKey: 'text' })).codes).toEqual(['CONFLICT']);
  });
});

describe('a payload in the document arrives as JSON.stringify writes it', () => {
  test.each([
    [
      'all types',
      '{a: 1, b: "x", c: [true, null, [1.5]], d: {e: {}}}',
      '{"a":1,"b":"x","c":[true,null,[1.5]],"d":{"e":{}}}',
    ],
    ['__proto__ and constructor', '{__proto__: {a: 1}, constructor: 2}', '{"__proto__":{"a":1},"constructor":2}'],
    ['escapes', '{a: "\\u00e4\\n\\/\\u{1F600}\\u0000"}', '{"a":"ä\\n/😀\\u0000"}'],
    ['characters of all planes', '{a: "日本語 😀 \u2028"}', '{"a":"日本語 😀 \u2028"}'],
    ['a block of text', '{a: """\n  x\n    y "z"\n  """}', '{"a":"x\\n  y \\"z\\""}'],
    ['integers above 2⁵³: the nearest one', '{a: 9007199254740993}', '{"a":9007199254740992}'],
    ['numbers with zeros and exponents', '{a: 1.0, b: -0, c: 1e3}', '{"a":1,"b":0,"c":1000}'],
    ['names out of order', '{b: 1, a: 2}', '{"b":1,"a":2}'],
  ])('%s', async (_what, literal, expected) => {
    const request = await arrived(await emitLiteral(literal));
    expect(request.body.toString()).toBe(expected);
    expectSigned(request);
  });

  test('variables in it are read, and one that is not given leaves its field out', async () => {
    const declared = '($x: JSONObject, $y: Int)';
    const request = await arrived(await emitLiteral('{a: $x, b: [$x], c: $y}', { x: { k: '\0' } }, declared));
    expect(request.body.toString()).toBe('{"a":{"k":"\\u0000"},"b":[{"k":"\\u0000"}]}');
  });

  test.each([
    ['1e400', '{a: [1e400]}', 200, 'BAD_USER_INPUT'],
    ['a name twice', '{a: 1, a: 2}', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['an enum value', '{a: {b: [RED]}}', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['a lone surrogate', '{a: "\\ud800"}', 400, 'GRAPHQL_PARSE_FAILED'],
    ['a list', '[1]', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['65 levels', `${'{a:'.repeat(64)}{}${'}'.repeat(64)}`, 200, 'BAD_USER_INPUT'],
  ])('%s is refused', async (_what, literal, status, code) => {
    const answer = await emitLiteral(literal);
    expect(codesOf(answer)).toEqual({ status, codes: [code] });
  });

  test('1e400 in a variable in it is refused', async () => {
    const body = JSON.stringify({
      query: `mutation M($x: JSONObject) { ${SELECTED.replace('$input', '{event: "thing.happened", payload: {a: $x}}')} }`,
      variables: { x: { k: 'HERE' } },
    });
    const answer = await api.post('/graphql', body.replace('"HERE"', '1e400'));
    expect(codesOf(answer)).toEqual({ status: 200, codes: ['BAD_USER_INPUT'] });
  });
});

function codesOf({ status, body }: RawAnswer) {
  const errors: { extensions: { code: string } }[] = body.errors ?? [];
  return { status, codes: errors.map(({ extensions }) => extensions.code) };
}

describe('a payload that would not arrive as it was sent is refused', () => {
  let eventsBefore: number;
  beforeAll(async () => {
    eventsBefore = await countEvents(stack.services, stack.tenantId);
  });

  test.each(refusedPayloads)('$what', async ({ text, status, code, path, rule }) => {
    const answer = await emitText(text);
    expect(codesOf(answer)).toEqual({ status, codes: [code] });
    if (path !== undefined) {
      expect(answer.body.errors[0].extensions.errors).toEqual([
        { path: ['input', 'payload', ...path], code: rule, detail: expect.stringMatching(/./) },
      ]);
    }
  });

  test.each<[string, Buffer]>([
    ['a byte that is not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
    ['an overlong slash', Buffer.from('{"a":"\xc0\xaf"}', 'latin1')],
    ['half a letter', Buffer.from('{"a":"\xe6\x97"}', 'latin1')],
    ['letters in ISO 8859-1', Buffer.from('{"a":"\xe4"}', 'latin1')],
  ])('%s', async (_what, bytes) => {
    expect(codesOf(await emitText(bytes))).toEqual({ status: 400, codes: ['BAD_USER_INPUT'] });
  });

  test('a request in UTF-16', async () => {
    const bytes = Buffer.from('\ufeff{"query":"{viewer{scopes}}"}', 'utf16le');
    const answer = await api.post('/graphql', bytes, 'application/json; charset=utf-16');
    expect(codesOf(answer)).toEqual({ status: 400, codes: ['BAD_USER_INPUT'] });
  });

  test('one of several events is refused at its index', async () => {
    const query = JSON.stringify(
      'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { event { body } error { code path } } } }',
    );
    const event = (text: string) => `{"event":"thing.happened","payload":${text}}`;
    const events = [event('{"a":1}'), event('{"a":[1e400]}')].join(',');
    const { body } = await api.post('/graphql', `{"query":${query},"variables":{"input":{"events":[${events}]}}}`);
    expect(body.data.emitEvents.results).toEqual([
      { event: { body: '{"a":1}' }, error: null },
      { event: null, error: { code: 'BAD_USER_INPUT', path: ['input', 'events', '1', 'payload', 'a', '0'] } },
    ]);
  });

  test('what was refused has made no event', async () => {
    expect(await countEvents(stack.services, stack.tenantId)).toBe(eventsBefore + 1);
  });
});
