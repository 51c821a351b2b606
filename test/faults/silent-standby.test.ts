import { afterAll, beforeAll, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import type { Services } from '../../src/api/context/context.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook, openTestServices } from '../support/factories.js';
import { type OwnPostgres, openOwnPostgres } from '../support/own-postgres.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

const ANSWER_MS_MAX = 15_000;
/** A caller's key is read, perhaps after a wait for a connection. */
const REFUSAL_MS_MAX = 6_000;
/** Several, because the changes of one tenant wait for each other. */
const TENANTS = 6;

let postgres: OwnPostgres;
let receiver: Receiver;
let services: Services;
let apis: ApiOverSockets[];
let daemon: Daemon;
let webhooks: number[];

beforeAll(async () => {
  postgres = await openOwnPostgres();
  receiver = await startReceiver();
  const settings = { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' };
  services = await openTestServices(postgres.url, { settings });
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => makeTenant(services)));
  webhooks = await Promise.all(
    tenants.map(async ({ id }) => (await makeWebhook(services, id, { url: receiver.url })).id),
  );
  apis = await Promise.all(tenants.map(({ id }) => ApiOverSockets.open(services, id)));
  daemon = new Daemon(services);
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api[Symbol.asyncDispose]()));
  await daemon.stop();
  await services.db.close();
  await receiver.close();
  await postgres[Symbol.asyncDispose]();
});

/** With a standby that does not exist no commit is answered, as when all standbys of a synchronous group are silent. */
async function requireStandby(name: string): Promise<void> {
  await postgres.administrate(`alter system set synchronous_standby_names = '${name}'`);
  await postgres.administrate('select pg_reload_conf()');
}

const emit = (key: string) => `emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "x"},
  idempotencyKey: "${key}"}) { event { databaseId } duplicate }`;

type Change = [name: string, method: string, path: (webhook: number) => string, body: (count: number) => object];

const document = (of: (count: number) => string) => (count: number) => ({ query: `mutation { ${of(count)} }` });
const changes: Change[] = [
  ['emitEvent', 'POST', () => '/graphql', document((count) => emit(`one-${count}`))],
  [
    'emitEvents, all or nothing',
    'POST',
    () => '/graphql',
    document(
      () => `emitEvents(input: {allOrNothing: true, events: [{event: "coupon.applied",
        payload: {code: "A", discount_type: "x"}}]}) { results { duplicate } }`,
    ),
  ],
  ['a new webhook', 'POST', () => '/api/v1/webhooks', () => ({ url: 'https://example.com/', events: ['*'] })],
  ['a changed webhook', 'PATCH', (id) => `/api/v1/webhooks/${id}`, (count) => ({ active: count % 2 === 0 })],
  ['a test', 'POST', (id) => `/api/v1/webhooks/${id}/test`, () => ({})],
  [
    'a new key',
    'POST',
    () => '/graphql',
    document(() => 'createApiKey(input: {name: "a", scopes: ["events:emit"]}) { key }'),
  ],
];

/** A new id is taken before the transaction, and the log of the sequence has to be confirmed too. */
const withoutNewIds = changes.filter(([name]) => !name.startsWith('a new'));

interface Answer {
  name: string;
  status: number;
  retryAfter: string | null;
  ms: number;
}

async function ask(api: ApiOverSockets, name: string, path: string, method = 'GET', body?: object): Promise<Answer> {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${api.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.text();
  const ms = Math.round(performance.now() - begun);
  return { name, status: response.status, retryAfter: response.headers.get('retry-after'), ms };
}

/** Each change many times, of all tenants, all at once. */
const askAll = (times: number, kinds = changes): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: times }, (_, n) => n % TENANTS).flatMap((tenant, n) =>
      kinds.map(([name, method, path, body]) => ask(apis[tenant]!, name, path(webhooks[tenant]!), method, body(n))),
    ),
  );

test('every change is answered in time while no commit is confirmed, and reads go on', {
  timeout: 90_000,
}, async () => {
  await requireStandby('nobody');
  for (const answer of await askAll(24)) {
    expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[15]$/) });
    expect([answer.name, answer.ms]).toEqual([answer.name, Math.min(answer.ms, ANSWER_MS_MAX)]);
  }

  // Once that has been noticed, changes take no connections any more.
  await eventually(async () => {
    const answers = await askAll(12, withoutNewIds);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    return answers.every(({ ms }) => ms < REFUSAL_MS_MAX);
  }, 30_000);
  const reads = await eventually(async () => {
    const answers = await Promise.all(apis.map((api) => ask(api, 'a list', '/api/v1/webhooks')));
    return answers.every(({ status }) => status === 200) && answers;
  });
  expect(reads).toHaveLength(TENANTS);

  await requireStandby('');
  const emitAgain = () => ask(apis[0]!, 'the same', '/graphql', 'POST', document(() => emit('one-0'))(0));
  await eventually(async () => (await emitAgain()).status === 200, 20_000);
  const events =
    "select from hookwright.events where id in (select event_id from hookwright.idempotency_keys where key = 'one-0')";
  expect((await services.db.pool.query(events)).rowCount).toBe(1);
  await eventually(() => receiver.received.length > 0, 20_000);
});
