import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatApiKey, KEY_BYTES } from '../../src/domain/keys/api-key.js';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { exchangePortalCode } from '../../src/operations/portal/exchange-portal-code.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { couponPayload, makeKey, makeTenant, makeWebhook, TestClock, type TestTenant } from '../support/factories.js';
import { dataOf, GraphqlApi, nodesOf, viewerQuery } from '../support/graphql-api.js';
import { markMoving, moveAway } from '../support/moving.js';
import { onServer } from '../support/on-server.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

/** What callers see of a tenant that moves to another cell (docs/decisions/0099). */

const AGAIN_MS = 4_100;
const clock = new TestClock();
const rest = await RestApi.open({ PUBLIC_URL: 'https://c0.example.com' }, undefined, clock.monotonic);
const graphql = await GraphqlApi.open({}, clock.monotonic);
for (const { services } of [rest, graphql]) {
  await onServer(services.db.url, (client) => enableCell(client, { number: null, of: 16 }));
}
const platform = await makeKey(rest.services, null, ['platform:admin']);
const platformOfGraphql = await makeKey(graphql.services, null, ['platform:admin']);
afterAll(() => Promise.all([rest, graphql].map((api) => api[Symbol.asyncDispose]())));

let tenant: TestTenant;
let webhookId: string;
const aSecondAgo = () => new Date(Date.now() - 1_000).toISOString();
const event = { eventType: 'coupon.applied', payload: couponPayload };
const CREATE = { url: 'https://example.com/hooks', events: ['*'] };

describe('a tenant that is CLOSED', () => {
  beforeEach(async () => {
    tenant = await makeTenant(graphql.services);
    webhookId = String((await makeWebhook(graphql.services, tenant.id)).id);
    await markMoving(graphql.services.db.url, tenant.id, 'CLOSED');
  });

  test('answers changes, events and tests with 503 and Retry-After, over GraphQL', async () => {
    const by = graphql.by(tenant);
    const answers = [
      await by.mutate('emitEvent', event, 'event { id }'),
      await by.mutate('scheduleEvent', { ...event, delaySeconds: 60 }, 'duplicate'),
      await by.mutate('createWebhook', { url: CREATE.url, eventTypes: ['*'] }, 'secret'),
      await by.mutate('createApiKey', { name: 'k', scopes: ['events:emit'] }, 'key'),
      await by.mutate('redeliver', { deliveryId: 'dl_1' }, 'delivery { id }'),
      await by.mutate('replayEvents', { webhookId, filter: { since: aSecondAgo() } }, 'total'),
      await by.mutate('testWebhook', { id: webhookId }, 'delivery { id }'),
      await by.mutate('checkWebhook', { webhookId }, 'delivery { id }'),
    ];
    expect(answers.map(({ errors }) => errors[0].message)).toEqual(
      answers.map(() => expect.stringMatching(/^The tenant is being moved/)),
    );
    for (const { status, headers, errors } of answers) {
      expect(errors).toMatchObject([{ extensions: { reason: 'tenant_moving' } }]);
      expect(errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 });
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
  });

  test('answers what is read', async () => {
    const by = graphql.by(tenant);
    expect((await by.read(viewerQuery)).viewer.tenant.id).toBe(`tn_${tenant.id}`);
    expect(nodesOf((await by.read('{ webhooks { edges { node { databaseId } } } }')).webhooks)).toEqual([
      { databaseId: Number(webhookId) },
    ]);
  });

  test('leaves the other events of an emit as they are', async () => {
    const other = await makeTenant(graphql.services);
    const events = [tenant.id, other.id].map((id) => ({ ...event, tenantId: String(id) }));
    const { status, data } = await graphql
      .by(platformOfGraphql)
      .mutate('emitEvents', { events }, 'results { event { id } error { code } }');
    expect([status, data.emitEvents.results]).toEqual([
      200,
      [
        { event: null, error: { code: 'UNAVAILABLE' } },
        { event: { id: expect.any(String) }, error: null },
      ],
    ]);
  });

  test('answers over REST in the same way', async () => {
    const { id, key } = await makeTenant(rest.services);
    const made = await rest.webhook(CREATE, key);
    await markMoving(rest.services.db.url, id, 'CLOSED');
    const path = `/webhooks/${made.id}`;
    const answers = [
      await rest.ask('POST /webhooks', { key, json: CREATE }),
      await rest.ask(`PATCH ${path}`, { key, json: { active: false } }),
      await rest.ask(`POST ${path}/test`, { key }),
      await rest.ask(`DELETE ${path}`, { key }),
    ];
    for (const answer of answers) {
      expectProblem(answer, 'tenant_moving');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await rest.ask(`GET ${path}`, { key })).status).toBe(200);
  });
});

describe('a tenant that lives in another cell', () => {
  let session: TestTenant['key'];
  beforeEach(async () => {
    tenant = await makeTenant(rest.services);
    await updateTenant(rest.services.db, tenant.id, { externalId: `crm-${tenant.id}` }, commandLine);
    session = (await makeKey(rest.services, tenant.id, ['webhooks:read'])).key;
    expect((await rest.ask('GET /webhooks', { key: tenant.key })).status).toBe(200);
    await moveAway(rest.services.db.url, tenant.id);
    clock.advance(AGAIN_MS);
  });
  afterEach(() => clock.advance(AGAIN_MS));

  const elsewhere = async (line: string, key: string, header?: string) => {
    const headers = header === undefined ? {} : { 'hookwright-tenant': header };
    const answer = await rest.ask(line, { key, headers, ...(line.startsWith('GET') ? {} : { json: CREATE }) });
    expectProblem(answer, 'tenant_elsewhere');
    return [answer.status, answer.headers['hookwright-cell']];
  };

  test('is 421 for its keys, known and unknown ones, and when their rows are gone', async () => {
    const wrong = formatApiKey(tenant.keyId, rest.services.random(KEY_BYTES));
    for (const key of [tenant.key, session, wrong, tenant.key]) {
      expect(await elsewhere('GET /webhooks', key)).toEqual([421, '1']);
      expect(await elsewhere('POST /webhooks', key)).toEqual([421, '1']);
    }
    await onServer(rest.services.db.url, (client) =>
      client.query('delete from hookwright.api_keys where tenant_id = $1', [tenant.id]),
    );
    clock.advance(AGAIN_MS);
    for (const key of [tenant.key, session, wrong]) {
      expect(await elsewhere('GET /webhooks', key)).toEqual([421, '1']);
    }
  });

  test('is 421 for platform keys, by its number, global id and external id', async () => {
    for (const name of [`${tenant.id}`, `tn_${tenant.id}`, `ext:crm-${tenant.id}`]) {
      expect(await elsewhere('GET /webhooks', platform.key, name)).toEqual([421, '1']);
      expect(await elsewhere('POST /webhooks', platform.key, name)).toEqual([421, '1']);
    }
  });

  test('opens no portal any more', async () => {
    const { services } = rest;
    const unopened = await makeTenant(services);
    const headers = { 'hookwright-tenant': String(unopened.id) };
    const query = 'mutation { createPortalSession(input: {capabilities: [VIEW]}) { url } }';
    const made = await rest.ask('POST //graphql', { key: platform.key, headers, json: { query } });
    const [, publicId = '', code = ''] = /\/portal\/s\/([\w-]+)#([\w-]+)/.exec(made.body.data.createPortalSession.url)!;
    const exchange = () =>
      exchangePortalCode(services.db, services.authenticator, services.random, { publicId, code, address: '::1' });
    await markMoving(services.db.url, unopened.id, 'CLOSED');
    await expect(exchange()).rejects.toMatchObject({ reason: 'tenant_moving' });
    await moveAway(services.db.url, unopened.id);
    await expect(exchange()).rejects.toMatchObject({ reason: 'tenant_elsewhere', extra: { cell: 1 } });
  });

  test('is left out of lists, and said by its number where it is asked for', async () => {
    const ask = async (query: string) => {
      const { body, headers } = await rest.ask('POST //graphql', { key: platform.key, json: { query } });
      return { ...body, cell: headers['hookwright-cell'] };
    };
    const numbers = async (filter: string) =>
      (await ask(`{ tenants(first: 100${filter}) { edges { node { databaseId } } } }`)).data.tenants.edges.map(
        ({ node }: { node: { databaseId: number } }) => Number(node.databaseId),
      );
    expect(await numbers('')).toContain(rest.tenant.id);
    expect(await numbers('')).not.toContain(tenant.id);
    expect(await numbers(', filter: {search: "tenant"}')).not.toContain(tenant.id);
    const { errors, cell } = await ask(`{ tenant(id: "tn_${tenant.id}") { id } }`);
    expect([errors[0].extensions.reason, cell]).toEqual(['tenant_elsewhere', '1']);
  });

  test('takes no events within the seconds in which its key is remembered, and says where', async () => {
    const { id, key } = await makeTenant(graphql.services);
    const by = graphql.by({ key });
    expect(dataOf(await by.ask(viewerQuery)).viewer.tenant.id).toBe(`tn_${id}`);
    await moveAway(graphql.services.db.url, id);
    for (const [name, input] of [
      ['emitEvent', event],
      ['scheduleEvent', { ...event, delaySeconds: 60 }],
      ['createWebhook', { url: CREATE.url, eventTypes: ['*'] }],
    ] as const) {
      const { status, headers, errors } = await by.mutate(name, input, '__typename');
      expect([status, headers.get('hookwright-cell')]).toEqual([421, '1']);
      expect(errors[0].extensions).toMatchObject({ reason: 'tenant_elsewhere', cell: 1 });
    }
  });
});

describe('a tenant that came from another cell', () => {
  const came = async () => {
    const made = await makeTenant(graphql.services);
    const far = 10_000_000_000_000 + made.id;
    await onServer(graphql.services.db.url, async (client) => {
      await client.query(
        'insert into hookwright.tenants select $1::bigint as id, $2, data_key, data_key_kid from hookwright.tenants where id = $3'.replace(
          'insert into hookwright.tenants',
          'insert into hookwright.tenants (id, name, data_key, data_key_kid)',
        ),
        [far, `came ${far}`, made.id],
      );
      await client.query(
        `insert into hookwright.tenant_moves (token, tenant_id, direction, cell, state) values (gen_random_uuid(), $1, 'IN', 1, 'OPEN')`,
        [far],
      );
      await client.query('update hookwright.api_keys set tenant_id = $1, id = $2 where id = $3', [
        far,
        10_000_000_000_000 + made.keyId,
        made.keyId,
      ]);
    });
    return { id: far, keyId: 10_000_000_000_000 + made.keyId };
  };

  test('has its wrong keys refused here with 401: no other cell decides about them', async () => {
    const { keyId } = await came();
    const { status } = await graphql.ask(
      viewerQuery,
      {},
      { key: formatApiKey(keyId, graphql.services.random(KEY_BYTES)) },
    );
    expect(status).toBe(401);
  });

  test('is not found here once it is deleted, instead of in the cell that its number names', async () => {
    const { id } = await came();
    await onServer(graphql.services.db.url, (client) =>
      client.query('update hookwright.tenants set deleted_at = now() where id = $1', [id]),
    );
    const { status, errors } = await graphql.ask(viewerQuery, {}, { key: platformOfGraphql.key, tenant: id });
    expect([status, errors[0].extensions.reason]).toEqual([404, 'not_found']);
  });
});
