import { afterAll, describe, expect, test } from 'vitest';
import { formatApiKey, KEY_BYTES } from '../../src/domain/keys/api-key.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { copyKey } from '../../src/operations/keys/copy-key.js';
import { openPool } from '../../src/platform/database/database.js';
import { makeKey, makeTenant, TestClock } from '../support/factories.js';
import { GraphqlApi, viewerQuery } from '../support/graphql-api.js';
import { onServer } from '../support/on-server.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

const AGAIN_MS = 4_100;

/** Cell 0 over REST and cell 3 over GraphQL, each with a tenant; and one without cells. */
const clock = new TestClock();
const few = { KEY_FAILURES_RATE_MAX: '1' };
const rest = await RestApi.open(few, undefined, clock.monotonic);
const graphql = await GraphqlApi.open(few);
const alone = await GraphqlApi.open();
await onServer(rest.services.db.url, (client) => enableCell(client, { number: null, of: 16 }));
await onServer(graphql.services.db.url, (client) => enableCell(client, { number: 3, of: 16 }));
const there = await makeTenant(graphql.services);
const platform = await makeKey(rest.services, null, ['platform:admin']);
const platformThere = await makeKey(graphql.services, null, ['platform:admin']);
afterAll(() => Promise.all([rest, graphql, alone].map((api) => api[Symbol.asyncDispose]())));

const CREATE = { url: 'https://example.com/hooks', events: ['*'] };

describe('a request that arrives in the wrong cell', () => {
  test.each(['GET /webhooks', 'POST /webhooks', 'PATCH /webhooks/1', 'GET /limits'])(
    '%s with a key of another cell gets 421 with that cell, before anything else is judged',
    async (line) => {
      const answer = await rest.ask(line, { key: there.key, ...(line.startsWith('GET') ? {} : { json: CREATE }) });
      expectProblem(answer, 'tenant_elsewhere');
      expect([answer.status, answer.headers['hookwright-cell']]).toEqual([421, '3']);
      expect(answer.body.detail).toBe(
        'The API key in the header Authorization belongs to cell 3, and this is another one.',
      );
    },
  );

  test('gets it over GraphQL, with the cell in the error too', async () => {
    const answer = await graphql.ask(viewerQuery, {}, { key: rest.tenant.key });
    expect([answer.status, answer.headers.get('hookwright-cell')]).toEqual([421, '0']);
    expect(answer.errors[0].extensions).toEqual({ code: 'MISDIRECTED', reason: 'tenant_elsewhere', cell: 0 });
  });

  test.each(['30000000000001', 'tn_30000000000001'])(
    'gets it for %s in Hookwright-Tenant, by a platform key',
    async (tenant) => {
      const answer = await rest.ask('GET /webhooks', { key: platform.key, headers: { 'hookwright-tenant': tenant } });
      expectProblem(answer, 'tenant_elsewhere');
      expect(answer.headers['hookwright-cell']).toBe('3');
      expect(answer.body.detail).toBe('Tenant 30000000000001 belongs to cell 3, and this is another one.');
    },
  );

  test('gets it for a tenant that an input names', async () => {
    const by = graphql.by({ key: platformThere.key });
    const event = { eventType: 'coupon.applied', tenantId: '5', payload: { code: 'X', discount_type: 'Y' } };
    const answers = [
      await by.ask('{ tenant(id: "tn_5") { id } }'),
      await by.mutate('updateTenant', { id: 'tn_5', name: 'other' }, 'tenant { id }'),
      await by.mutate('deleteTenant', { id: 'tn_5', name: 'other' }, 'deletedTenantId'),
      await by.mutate('emitEvent', event, 'event { id }'),
      await by.mutate('createPortalSession', { tenantId: 'tn_5', capabilities: ['VIEW'] }, 'url'),
    ];
    for (const { status, headers, errors } of answers) {
      expect(errors[0].extensions).toMatchObject({ reason: 'tenant_elsewhere', cell: 0 });
      expect([status, headers.get('hookwright-cell'), errors[0].message]).toEqual([
        421,
        '0',
        'Tenant tn_5 belongs to cell 0, and this is another one.',
      ]);
    }
  });

  test('leaves the other events of an emit as they are', async () => {
    const payload = { code: 'X', discount_type: 'Y' };
    const events = [5, there.id].map((id) => ({ eventType: 'coupon.applied', tenantId: String(id), payload }));
    const { status, data } = await graphql
      .by({ key: platformThere.key })
      .mutate('emitEvents', { events }, 'results { event { id } error { code } }');
    expect(status).toBe(200);
    expect(data.emitEvents.results).toEqual([
      { event: null, error: { code: 'MISDIRECTED' } },
      { event: { id: expect.any(String) }, error: null },
    ]);
  });

  test('is seen as often as it is sent: the same keys are no guesses', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        await rest.ask('GET /webhooks', { key: there.key });
        return (await rest.ask('GET /webhooks', { key: there.key })).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([421]));
  });
});

describe('a wrong key', () => {
  const wrong = (id: number) => formatApiKey(id, rest.services.random(KEY_BYTES));

  test('with a number of this cell is 401, as without cells', async () => {
    const { status } = await graphql.ask(viewerQuery, {}, { key: wrong(30_000_000_000_077) });
    expect(status).toBe(401);
    for (const id of [77, 30_000_000_000_077]) {
      expect((await alone.ask(viewerQuery, {}, { key: wrong(id) })).status).toBe(401);
    }
  });

  test('with the number of a copied key is 421, whoever guesses, and does not keep the right one out', async () => {
    await copy(rest, graphql, platform.id);
    for (const key of [wrong(platform.id), wrong(platform.id + 1_000)]) {
      const { status, headers } = await graphql.ask(viewerQuery, {}, { key });
      expect([status, headers.get('hookwright-cell')]).toEqual([421, '0']);
    }
    const { data } = await graphql.ask(viewerQuery, {}, { key: platform.key, tenant: there.id });
    expect(data.viewer.tenant.id).toBe(`tn_${there.id}`);
  });

  test('a copied key works within 5 s where it was unknown', async () => {
    const other = await makeKey(graphql.services, null, ['platform:admin']);
    const ask = () =>
      rest.ask('GET /webhooks', { key: other.key, headers: { 'hookwright-tenant': String(rest.tenant.id) } });
    expectProblem(await ask(), 'tenant_elsewhere');
    await copy(graphql, rest, other.id);
    clock.advance(AGAIN_MS);
    expect((await ask()).status).toBe(200);
  });

  test('many numbers of another cell from one network are guesses', async () => {
    const keys = Array.from({ length: 60 }, (_, n) => wrong(30_000_000_100_000 + n));
    const statuses: number[] = [];
    for (const key of keys) {
      statuses.push((await rest.ask('GET /webhooks', { key, remoteAddress: '203.0.113.9' })).status);
    }
    expect(statuses[0]).toBe(421);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('without cells', () => {
  test('a number beyond the first cell is a tenant that does not exist', async () => {
    const { key } = await makeKey(alone.services, null, ['platform:admin']);
    const { status, errors } = await alone.ask(viewerQuery, {}, { key, tenant: 30_000_000_000_001 });
    expect([status, errors[0].extensions.reason]).toEqual([404, 'not_found']);
  });
});

test('a key of a tenant that names one of another cell is refused by its own cell as before', async () => {
  const { key } = await makeKey(rest.services, rest.tenant.id, SCOPES);
  const answer = await rest.ask('GET /webhooks', { key, headers: { 'hookwright-tenant': String(there.id) } });
  expectProblem(answer, 'scope_missing');
});

/** As the owner of both databases. */
async function copy(from: RestApi | GraphqlApi, to: RestApi | GraphqlApi, id: number): Promise<void> {
  const [own, other] = [from, to].map(({ services }) => openPool(services.db.url, 1, () => {}));
  await copyKey({ pool: own! }, { pool: other! }, id);
  await Promise.all([own!.end(), other!.end()]);
}
