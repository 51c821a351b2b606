import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { attemptKey, globalId } from '../../src/domain/ids/global-id.js';
import { entities } from '../../src/entities/index.js';
import { tryEncryptionKeys } from '../../src/operations/secrets/try-encryption-keys.js';
import { query, transaction } from '../../src/platform/database/database.js';
import { API_ROLE, tenantEntityManager, tenantTransaction } from '../../src/platform/database/tenant-database.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeKey, makeTenant, makeWebhook, openTestServices } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { JOBS_TABLE } from '../support/jobs.js';

const api = await GraphqlApi.open();
const owner = await makeTenant(api.services);
const stranger = await makeTenant(api.services);
const { id: webhookId } = await makeWebhook(api.services, owner.id);
await makeWebhook(api.services, stranger.id);
await emitMany(api.services, owner.id, 2);
await emitMany(api.services, stranger.id, 1);
await api.owner.query(
  `insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, request_headers)
   select id, 1, tenant_id, 'https://a.example.com/', now(), 1, '{}' from hookwright.deliveries;
   insert into hookwright.delivery_stats
   select tenant_id, webhook_id, event_type, 'MINUTE', now(), 1, 0, array[1] from hookwright.deliveries
   on conflict do nothing;
   insert into hookwright.failure_stats
   select tenant_id, webhook_id, 'TIMEOUT', 'MINUTE', now(), 1 from hookwright.deliveries on conflict do nothing;
   insert into hookwright.queue_stats
   select tenant_id, webhook_id, 'MINUTE', now(), 1, 0, 0, false, false from hookwright.deliveries on conflict do nothing;
   insert into hookwright.bulk_operations (tenant_id, kind, webhook_id, filter, from_id, to_id, cursor_id, total, actor)
   select tenant_id, 'REPLAY_EVENTS', id, '{}', 0, 1, 0, 0, 'SERVICE' from hookwright.webhooks;
   insert into hookwright.endpoint_states (webhook_id, daemon_id, tenant_id, window_limit, in_flight, waiting, put_offs)
   select id, gen_random_uuid(), tenant_id, 8, 0, 0, 0 from hookwright.webhooks;
   insert into hookwright.webhook_options (webhook_id, tenant_id, name, external_id)
   select id, tenant_id, 'Shop', 'crm-' || id from hookwright.webhooks;
   insert into hookwright.notice_recipients (tenant_id, address, topics)
   select tenant_id, 'ops@example.com', '{DISABLED}' from hookwright.webhooks;
   insert into hookwright.creation_keys (tenant_id, api_key_id, key, request_hmac, webhook_id, secret_digest)
   select tenant_id, 1, 'key', '', id, '' from hookwright.webhooks;
   insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
   select tenant_id, 'coupon.applied', '{}', now() + interval '1 day', now() + interval '1 day' from hookwright.webhooks`,
);
afterAll(() => api.close());

/** The first row, past the role of the API. */
const one = async (text: string, ...values: unknown[]) => (await api.owner.query(text, values)).rows[0];

const allTables = [
  ...['webhooks', 'events', 'deliveries', 'attempts', 'delivery_stats', 'endpoint_states', 'bulk_operations'],
  ...['failure_stats', 'queue_stats'],
  ...['tenants', 'api_keys', 'audit_log', 'creation_keys', 'webhook_options', 'notice_recipients', 'scheduled_events'],
];

/** Every statement of the API, as an attacker would like to have them: without any condition. */
const everything = (table: string) => ({ text: `select * from hookwright.${table}` });

const rejection = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was allowed',
    (error: Error) => error.message,
  );

describe('without the ORM’s tenant filter', () => {
  const unfiltered = (em: EntityManager, entity: (typeof entities)[number]) =>
    em.find(entity as never, {}, { filters: false });

  test.each(entities.map((entity) => [entity.name, entity] as const))(
    '%s rows of other tenants stay invisible',
    async (name, entity) => {
      const rows = (await unfiltered(tenantEntityManager(api.services.db.orm.em, owner.id), entity)) as {
        id: number;
        tenantId?: number | null;
      }[];
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        const of = name === 'Tenant' ? row.id : row.tenantId;
        expect(name === 'EventType' ? owner.id : of).toBe(owner.id);
      }
    },
  );

  test('every field that takes an id still answers NOT_FOUND to a stranger', async () => {
    const filtered = [...api.services.db.orm.getMetadata().getAll().values()].filter(
      ({ filters }) => filters['tenant'] !== undefined,
    );
    expect(filtered.length).toBeGreaterThan(5);
    for (const { filters } of filtered) {
      delete filters['tenant'];
    }
    const { id: deliveryId, event_id: eventId } = await one(
      'select id, event_id from hookwright.deliveries where tenant_id = $1 limit 1',
      owner.id,
    );
    const { id: operationId } = await one('select id from hookwright.bulk_operations where tenant_id = $1', owner.id);
    const { id: scheduledId } = await one('select id from hookwright.scheduled_events where tenant_id = $1', owner.id);
    const { rows: audited } = await api.owner.query<{ id: number }>(
      'select id from hookwright.audit_log where tenant_id = $1',
      [owner.id],
    );
    const since = '2025-01-01T00:00:00+00:00';
    for (const operation of [
      `{ webhook(id: "${webhookId}") { id } }`,
      `{ webhook(externalId: "crm-${webhookId}") { id } }`,
      `{ event(id: "${eventId}") { id } }`,
      `{ delivery(id: "${deliveryId}") { id } }`,
      `mutation { updateWebhook(input: {id: "${webhookId}", active: false}) { webhook { id } } }`,
      `mutation { rotateWebhookSecret(input: {id: "${webhookId}"}) { secret } }`,
      `mutation { testWebhook(input: {id: "${webhookId}"}) { delivery { id } } }`,
      `mutation { releaseHeld(input: {webhookId: "${webhookId}"}) { webhook { id } } }`,
      `mutation { unblockKey(input: {webhookId: "${webhookId}", key: "k", action: SKIP}) { webhook { id } } }`,
      `mutation { redeliver(input: {deliveryId: "${deliveryId}"}) { delivery { id } } }`,
      `mutation { cancelDelivery(input: {id: "${deliveryId}"}) { delivery { id } } }`,
      `mutation { recoverWebhook(input: {id: "${webhookId}", filter: {since: "${since}"}}) { total } }`,
      `mutation { replayEvents(input: {webhookId: "${webhookId}", filter: {since: "${since}"}}) { total } }`,
      `mutation { cancelDeliveries(input: {filter: {webhookId: "${webhookId}"}}) { total } }`,
      `mutation { checkWebhook(input: {webhookId: "${webhookId}"}) { delivery { id } } }`,
      `mutation { verifyWebhook(input: {id: "${webhookId}"}) { webhook { id } } }`,
      `mutation { probeWebhook(input: {webhookId: "${webhookId}"}) { delivery { id } } }`,
      `mutation { attemptNow(input: {deliveryIds: ["${deliveryId}"]}) { total } }`,
      ...[`webhookId: "${webhookId}`, `eventId: "${eventId}`].flatMap((condition) => [
        `mutation { recoverDeliveries(input: {filter: {${condition}"}}) { total } }`,
        `mutation { attemptNow(input: {filter: {${condition}"}}) { total } }`,
        `{ deliveryCounts(filter: {${condition}"}) { all } }`,
      ]),
      `mutation { cancelBulkOperation(input: {id: "${operationId}"}) { bulkOperation { id } } }`,
      `mutation { resumeBulkOperation(input: {id: "${operationId}"}) { bulkOperation { id } } }`,
      `{ bulkOperation(id: "${operationId}") { id } }`,
      `{ scheduledEvent(id: "${scheduledId}") { id } }`,
      `mutation { cancelScheduledEvent(input: {id: "${scheduledId}"}) { scheduledEvent { id } } }`,
      `mutation { revokeApiKey(input: {id: "${owner.keyId}"}) { apiKey { id } } }`,
      `mutation { deleteWebhook(input: {id: "${webhookId}"}) { deletedWebhookId } }`,
    ]) {
      expect(codesOf(await api.ask(operation, {}, stranger)), operation).toEqual(['NOT_FOUND']);
    }
    const everything = `filter: {until: "2099-01-01T00:00:00Z"}`;
    const own = await api.ask(
      `mutation { attempted: attemptNow(input: {${everything}, dryRun: true}) { total leftOut }
                  canceled: cancelDeliveries(input: {${everything}, dryRun: true}) { total leftOut } }`,
      {},
      stranger,
    );
    expect(own).toMatchObject({ data: { attempted: { total: 1, leftOut: 0 }, canceled: { total: 1, leftOut: 0 } } });
    await eventually(async () => {
      const { data } = await api.ask('{ deliveryCounts { all held } }', {}, stranger);
      expect(data.deliveryCounts).toEqual({ all: 1, held: 0 }); // null where it took longer than 50 ms
      return true;
    });
    expect(codesOf(await api.ask('{ installation { failing { gone webhooks { url } } } }', {}, stranger))).toEqual([
      'FORBIDDEN',
    ]);
    const foreign = [
      gid.webhook(webhookId),
      gid.event(eventId),
      gid.delivery(deliveryId),
      globalId('Attempt', attemptKey(deliveryId, 1)),
      gid.bulkOperation(operationId),
      gid.apiKey(owner.keyId),
      globalId('ScheduledEvent', scheduledId),
      ...audited.map(({ id }) => globalId('AuditEntry', id)),
    ];
    const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    expect((await api.ask(nodes, { ids: foreign }, owner)).data.nodes).toEqual(foreign.map((id) => ({ id })));
    const asStranger = await api.ask(nodes, { ids: foreign }, stranger);
    expect(asStranger).toMatchObject({ data: { nodes: foreign.map(() => null) }, errors: [] });
    const lists = await api.ask(
      `{ webhooks { edges { node { id } } } events { edges { node { id } } } deliveries { edges { node { id } } }
         bulkOperations { edges { node { id } } } apiKeys { edges { node { id } } }
         scheduledEvents { edges { node { id } } } }`,
      {},
      stranger,
    );
    for (const list of ['webhooks', 'events', 'deliveries', 'bulkOperations', 'scheduledEvents']) {
      expect(lists.data[list].edges, list).toHaveLength(1);
    }
    expect(lists.data.apiKeys.edges).toEqual([{ node: { id: gid.apiKey(stranger.keyId) } }]);
    expect(JSON.stringify(lists.data)).not.toContain(`"${gid.webhook(webhookId)}"`);
  });
});

describe('with SQL of one’s own, as the role of the API', () => {
  test.each(allTables)('%s shows the rows of the tenant that the transaction names', async (table) => {
    const { pool } = api.services.db;
    const own = await tenantTransaction(pool, owner.id, (client) => query(client, everything(table), []));
    expect(own.length).toBeGreaterThan(0);
    for (const row of own) {
      expect(Number(table === 'tenants' ? row['id'] : row['tenant_id'])).toBe(owner.id);
    }
  });

  test.each(allTables)('%s shows nothing at all to a transaction that names no tenant', async (table) => {
    expect(await query(api.services.db.pool, everything(table), [])).toEqual([]);
  });

  test('a tenant that a transaction named is forgotten at its end', async () => {
    const client = await api.services.db.pool.connect();
    try {
      await client.query('begin');
      await client.query(`select set_config('app.tenant', $1, true)`, [String(owner.id)]);
      expect((await client.query('select from hookwright.webhooks')).rowCount).toBe(1);
      await client.query('commit');
      expect((await client.query('select from hookwright.webhooks')).rowCount).toBe(0);
    } finally {
      client.release();
    }
  });

  test('rows of others cannot be changed, made or moved', async () => {
    const { pool } = api.services.db;
    const asStranger = (text: string) => tenantTransaction(pool, stranger.id, (client) => client.query(text));
    for (const change of [
      `webhooks set active = false where id = ${webhookId}`,
      `deliveries set status = 'CANCELED' where tenant_id = ${owner.id}`,
      `api_keys set revoked_at = now() where id = ${owner.keyId}`,
      `bulk_operations set status = 'CANCELED', finished_at = now() where tenant_id = ${owner.id}`,
      `scheduled_events set status = 'CANCELED', finished_at = now() where tenant_id = ${owner.id}`,
    ]) {
      expect((await asStranger(`update hookwright.${change}`)).rowCount, change).toBe(0);
    }
    for (const text of [
      `insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret)
       values (${owner.id}, 'https://x.example.com/', '{*}', '')`,
      `update hookwright.webhooks set tenant_id = ${owner.id}`,
      `insert into hookwright.api_keys (tenant_id, name, hash, scopes) values (${owner.id}, 'x', '', '{keys:admin}')`,
      `insert into hookwright.bulk_operations (tenant_id, kind, filter, from_id, to_id, cursor_id, total, actor)
       values (${owner.id}, 'CANCEL_DELIVERIES', '{}', 0, 1, 0, 0, 'SERVICE')`,
      `insert into hookwright.api_keys (tenant_id, name, hash, scopes) values (null, 'x', '', '{platform:admin}')`,
    ]) {
      expect(await rejection(asStranger(text)), text).toContain('violates row-level security policy');
    }
    expect(await one('select active from hookwright.webhooks where id = $1', webhookId)).toEqual({ active: true });
  });

  test('the use of a key is noted for its own tenant, and not for a time that is still to come', async () => {
    const { pool } = api.services.db;
    const { id } = await makeKey(api.services, owner.id, ['webhooks:read']);
    const { id: platformId } = await makeKey(api.services, null, ['platform:admin']);
    const note = { text: `select hookwright.note_api_key_use($1, '2999-01-01')` };
    const noteAs = (tenantId: number | null, keyId: number) =>
      tenantTransaction(pool, tenantId, (client) => query(client, note, [keyId]));
    const uses = async () => {
      const { rows } = await api.owner.query<{ last_used_at: Date | null }>(
        'select last_used_at from hookwright.api_keys where id = any($1)',
        [[id, platformId]],
      );
      return rows.map(({ last_used_at }) => last_used_at?.getTime() ?? null);
    };
    await noteAs(stranger.id, id);
    await noteAs(stranger.id, platformId);
    await noteAs(null, id);
    await query(pool, note, [id]); // names no tenant
    await query(pool, note, [platformId]);
    expect(await uses()).toEqual([null, null]);
    await noteAs(owner.id, id);
    await noteAs(null, platformId);
    for (const use of await uses()) {
      expect(use).toBeGreaterThan(Date.now() - 60_000);
      expect(use).toBeLessThanOrEqual(Date.now());
    }
  });

  test('no row of a table can be deleted, and the audit log cannot be rewritten', async () => {
    const { pool } = api.services.db;
    for (const text of [
      ...allTables.map((table) => `delete from hookwright.${table}`),
      ...allTables.map((table) => `truncate hookwright.${table}`),
      `update hookwright.audit_log set action = 'x'`,
      'update hookwright.api_keys set scopes = array[]::text[]',
      `update hookwright.event_types set reserved = true`,
      `select * from ${JOBS_TABLE}`,
      `select hookwright_jobs.add_job('deliver')`,
      'select * from hookwright.idempotency_keys',
      'select * from hookwright.changes',
      'select * from hookwright.live_feed',
      'select * from hookwright.housekeeping',
      'select * from hookwright.make_partitions(1)',
      'select * from hookwright.raised_events',
      `select hookwright.write_operational_event(${owner.id}, ${webhookId}, 'webhook.disabled', '{}')`,
      `select hookwright.raise_events(array[${owner.id}], array[${webhookId}], array['webhook.disabled'], array['{}'], array[1])`,
      'select hookwright.raise_pending(1)',
      'set role postgres',
    ]) {
      const outcome = rejection(tenantTransaction(pool, owner.id, (client) => client.query(text)));
      expect(await outcome, text).toMatch(/permission denied|must be (owner|member)/);
    }
  });

  test('partitions cannot be read past the table that the policy is on', async () => {
    const { rows } = await api.owner.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'hookwright'::regnamespace and relispartition and relkind = 'r'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(9);
    for (const { name } of rows) {
      const outcome = rejection(query(api.services.db.pool, { text: `select * from hookwright.${name}` }, []));
      expect(await outcome, name).toContain('permission denied');
    }
  });
});

describe('the role of the API', () => {
  test('owns nothing, and may neither pass row-level security by nor become another role', async () => {
    const attributes = await one(
      'select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin from pg_roles where rolname = $1',
      API_ROLE,
    );
    expect(Object.values(attributes)).toEqual([false, false, false, false, false]);
    const ownedObjects = `select from pg_shdepend where refobjid = $1::regrole and deptype = 'o'`;
    expect(await one(ownedObjects, API_ROLE)).toBeUndefined();
    expect(await one('select from pg_auth_members where member = $1::regrole', API_ROLE)).toBeUndefined();
  });

  test('every table with rows of tenants has forced row-level security, those of later migrations too', async () => {
    const { rows } = await api.owner.query<{ name: string; forced: boolean }>(
      `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
       where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(9);
    expect(rows.filter(({ forced }) => !forced)).toEqual([]);
  });

  test('functions that work with more rights have a fixed search path', async () => {
    const { rows } = await api.owner.query<{ name: string; config: string[] | null }>(
      `select proname as name, proconfig as config from pg_proc
       where pronamespace = 'hookwright'::regnamespace and prosecdef`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const { name, config } of rows) {
      expect(config?.join(), name).toContain('search_path=pg_catalog, hookwright, pg_temp');
    }
  });
});

describe('a login that is a member of the API’s role and nothing else', () => {
  test('is all that an API process needs', async () => {
    const login = `api_${Date.now()}`;
    const password = 'p'.repeat(16);
    await api.owner.query(`create role ${login} login password '${password}' in role ${API_ROLE}`);
    const url = new URL(api.databaseUrl);
    url.username = login;
    url.password = password;
    const services = await openTestServices(url.href, { role: API_ROLE });
    try {
      const tenant = await makeTenant(services);
      const tried = await tryEncryptionKeys(services.db, []);
      expect(tried.map(({ verdict }) => verdict)).toEqual(['MISSING']);
      const key = await makeKey(services, tenant.id, ['webhooks:read']);
      expect(key.key).toMatch(/^hw_/);
      await makeWebhook(services, tenant.id);
      expect(await emitMany(services, tenant.id, 1)).toEqual([expect.any(Number)]);
      const em = tenantEntityManager(services.db.orm.em, tenant.id);
      expect(await em.execute('select id from hookwright.deliveries')).toHaveLength(1);
      // It cannot shed the role: there is nothing behind it.
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      expect((await client.query('select from hookwright.webhooks')).rowCount).toBe(0);
      await client.end();
      const settle = transaction(services.db.pool, (one) => one.query('select hookwright.enqueue_align(1, 1)'));
      expect((await settle).rowCount).toBe(1);
    } finally {
      await services.db.close();
      await api.owner.query(`drop role ${login}`);
    }
  });
});
