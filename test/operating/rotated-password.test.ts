import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import type { Services } from '../../src/api/context/context.js';
import { toApiError } from '../../src/api/context/faults.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook, openTestServices } from '../support/factories.js';
import { keptLog } from '../support/kept-log.js';
import { type OwnPostgres, openOwnPostgres } from '../support/own-postgres.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

const WARN = 40;
const RECEIVERS = { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' };
const EMIT = `mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "x"}}) {
  event { databaseId } } }`;

const { log, lines } = keptLog('info');
let postgres: OwnPostgres;
let receiver: Receiver;
let services: Services;
let api: ApiOverSockets;
let daemon: Daemon;

beforeAll(async () => {
  postgres = await openOwnPostgres();
  receiver = await startReceiver();
  services = { ...(await openTestServices(postgres.url, { settings: RECEIVERS })), log };
  const { id } = await makeTenant(services);
  await makeWebhook(services, id, { url: receiver.url });
  api = await ApiOverSockets.open(services, id);
  daemon = new Daemon(services);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await daemon.stop();
  await services.db.close();
  await receiver.close();
  await postgres[Symbol.asyncDispose]();
});

/** Also ends the sessions of the service's login. */
async function changePassword(login: string, password: string): Promise<void> {
  await postgres.administrate(`alter role ${login} password '${password}'`);
  await postgres.administrate(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = '${login}'`,
  );
}

async function ask(path: string, body?: string) {
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body };
  const response = await fetch(`http://127.0.0.1:${api.port}${path}`, init);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

const graphql = (query: string) => ask('/graphql', JSON.stringify({ query }));

test('after the password was changed the API is unavailable, says why once, and goes on when the login works', async () => {
  await graphql(EMIT);
  await eventually(() => receiver.received.length === 1);
  const { username: login, password } = new URL(postgres.url);
  await changePassword(login, 'another');
  // A connection that ends in the middle of a request is an outage, without a word on the login.
  await eventually(async () => (await ask('/health/ready')).text.includes('refuses the login'));
  const since = lines.length;

  for (const answer of [
    await ask('/api/v1/webhooks'),
    await ask('/api/v1/webhooks', JSON.stringify({ url: 'https://example.com/', events: ['*'] })),
    await graphql(EMIT),
    await graphql('{ webhooks { edges { node { id } } } }'),
    await ask('/health/ready'),
  ]) {
    expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/) });
    expect(answer.text).toMatch(/"(unavailable|UNAVAILABLE)"/);
    expect(answer.text).toContain('The database refuses the login of this service');
    expect(answer.text).not.toContain(login);
  }
  const said = lines.slice(since);
  expect(lines.filter(({ msg }) => msg === 'a request was refused: the database refuses the login')).toEqual([
    expect.objectContaining({ level: WARN, err: expect.objectContaining({ code: '28P01' }) }),
  ]);
  expect(said.filter(({ level, msg }) => level > WARN || msg.startsWith('a request failed'))).toEqual([]);
  await eventually(() => !daemon.running);

  await changePassword(login, password);
  await eventually(async () => (await graphql(EMIT)).status === 200);
  await eventually(() => daemon.running && daemon.trouble === null, 20_000);
  await eventually(() => receiver.received.length === 2, 20_000);
});

/** What Postgres answers when it does not serve us now, or not this login; and what would be a fault of ours. */
test.each([
  ['28000', 503],
  ['28P01', 503],
  ['55000', 503],
  ['55006', 503],
  ['55P03', 503],
  ['57000', 503],
  ['57014', 503],
  ['57P01', 503],
  ['57P03', 503],
  ['57P05', 503],
  ['53300', 503],
  ['3D000', 503],
  ['25006', 503],
  ['25P03', 503],
  ['25P04', 503],
  ['55P02', 500],
  ['25001', 500],
  ['42P01', 500],
])('the SQLSTATE %s is answered with %i', (code, status) => {
  const error = Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' });
  expect(toApiError(error).status).toBe(status);
});

test('a login that may not use the database any more is refused, too', () => {
  const error = Object.assign(new pg.DatabaseError('permission denied for database "x"', 2, 'error'), {
    code: '42501',
    severity: 'FATAL',
  });
  expect(toApiError(error)).toMatchObject({ status: 503, detail: expect.stringContaining('refuses the login') });
});
