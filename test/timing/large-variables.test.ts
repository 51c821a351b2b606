import { afterAll, expect, test } from 'vitest';
import { cpuTimeOf } from '../support/machine-speed.js';
import { type RestAnswer, RestApi } from '../support/rest-api.js';

const api = await RestApi.open({}, undefined, () => 0);
afterAll(() => api[Symbol.asyncDispose]());

const emitOne = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { duplicate } }';
const emitMany = 'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { duplicate } } }';
const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
const cancel = 'mutation ($input: CancelDeliveriesInput!) { cancelDeliveries(input: $input) { total } }';
const coupon = '{"event":"coupon.applied","payload":{"code":"A","discount_type":"B"}}';
const url = '"url":"https://a.example.com/"';
const manyFields = Array.from({ length: 200_000 }, (_, n) => `"a${n}":1`).join(',');
const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
const list = (length: number, item: string) => `[${Array(length).fill(item).join(',')}]`;

/** @param input JSON: as a value of JavaScript some would take longer to write than to judge */
async function ask(query: string, input: string): Promise<RestAnswer & { tookMs: number }> {
  const payload = Buffer.from(`{"query":${JSON.stringify(query)},"variables":{"input":${input}}}`);
  const headers = { 'content-type': 'application/json' };
  const { result, tookMs } = await cpuTimeOf(() => api.ask('POST //graphql', { headers, payload }));
  return { ...result, tookMs };
}

const left = ({ headers }: RestAnswer) => Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);

/** Parsing the JSON takes up to 300 ms of it; what was written out took 10 s. */
const CPU_MS_MAX = 800;

test.each([
  ['150,000 events', emitMany, `{"events":${list(150_000, '{"event":"a","payload":{}}')}}`, 'input.events'],
  ['1,001 events', emitMany, `{"events":${list(1_001, coupon)}}`, 'input.events'],
  ['a million event types', create, `{${url},"eventTypes":${list(1e6, '"a"')}}`, 'input.eventTypes'],
  ['an object of 200,000 fields for a text', emitOne, `{"event":{${manyFields}},"payload":{}}`, 'input.event'],
  ['a list of 500,000 levels for a text', emitOne, `{"event":${deep},"payload":{}}`, 'input.event'],
  ['such an object within a list of texts', create, `{${url},"eventTypes":[{${manyFields}}]}`, 'input.eventTypes.0'],
  ['200,000 fields that an event does not have', emitOne, `${coupon.slice(0, -1)},${manyFields}}`, 'input.a0'],
  ['200,000 fields that a webhook does not have', create, `{${url},"eventTypes":["*"],${manyFields}}`, 'input.a0'],
  [
    'an unknown field beside such a payload',
    emitOne,
    `{"event":"a","payload":{${manyFields}},"evnt":"a"}`,
    'input.evnt',
  ],
])('%s are refused before they are looked at, and count as an operation', async (_, query, input, path) => {
  await api.ask('POST //graphql', { json: { query, variables: {} } }); // the document is known
  const before = left(await api.ask('POST //graphql', { json: { query: '{ nothing }' } }));
  const answer = await ask(query, input);
  expect(answer.status).toBe(400);
  const [{ extensions }] = answer.body.errors;
  expect(extensions.code).toBe('BAD_USER_INPUT');
  expect(extensions.errors[0].path.join('.')).toBe(path);
  expect(left(answer)).toBe(before - 1);
  expect(answer.text.length).toBeLessThan(5_000);
  expect(answer.tookMs).toBeLessThan(CPU_MS_MAX);
});

test('an emit without an event type is refused before its payload of 200,000 fields is looked at', async () => {
  const answer = await ask(emitOne, `{"payload":{${manyFields}}}`);
  expect(answer.body.errors[0].extensions.errors[0].path).toEqual(['input', 'eventType']);
  expect(answer.tookMs).toBeLessThan(CPU_MS_MAX);
});

test('an emit whose document is known is judged like the first one', async () => {
  expect((await ask(emitOne, coupon)).body.errors).toBeUndefined();
  const answer = await ask(emitOne, `${coupon.slice(0, -1)},${manyFields}}`);
  expect(answer.status).toBe(400);
  expect(answer.tookMs).toBeLessThan(CPU_MS_MAX);
});

test('a list that is a little too long is refused by the rule of its field', async () => {
  const events = await ask(emitMany, `{"events":${list(1_000, coupon)}}`);
  expect(events.body.errors[0].message).toBe('input.events: must have at most 100 events');
  const types = await ask(create, `{${url},"eventTypes":${list(1_000, '"a"')}}`);
  expect(types.body.errors[0].message).toBe('input.eventTypes: must have at most 100 names');
});

test('lists within a payload are for its event type to judge', async () => {
  const payload = `{"code":"A","discount_type":"B","more":${list(20_000, '1')}}`;
  const answer = await ask(emitOne, `{"event":"coupon.applied","payload":${payload}}`);
  expect(answer.body.errors[0].message).toBe('input.payload.more: is not a field of this event type');
});

const filter = '"filter":{"webhookId":"1"';
test.each([
  ['a text', create, `{"url":{},"eventTypes":["*"]}`, 'input.url: must be a string, not an object'],
  ['an id', cancel, `{"filter":{"webhookId":["1"]}}`, 'input.filter.webhookId: must be a string, not a list'],
  ['a truth', cancel, `{${filter}},"dryRun":{}}`, 'input.dryRun: must be a boolean, not an object'],
  ['an enum', cancel, `{${filter},"status":{}}}`, 'input.filter.status: must be one of PENDING'],
])('an object where %s is expected is told by what its type says', async (_, query, input, message) => {
  expect((await ask(query, input)).body.errors[0].message).toContain(message);
});
