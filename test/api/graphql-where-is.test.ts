import { afterAll, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteTenant } from '../../src/operations/tenants/delete-tenant.js';
import { emitMany, makeKey, makePortalSession, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:read']);
const tenant = await makeTenant(api.services);
const other = await makeTenant(api.services);
await makeWebhook(api.services, tenant.id);
const { id: webhookId } = await makeWebhook(api.services, tenant.id);
const [eventId] = await emitMany(api.services, tenant.id, 1);
const deliveryId = Number(
  (await api.owner.query('select id from hookwright.deliveries where webhook_id = $1', [webhookId])).rows[0].id,
);
await api.owner.query(
  `insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, request_headers)
   values ($1, 1, $2, 'https://a.example.com/', '2026-03-01T00:00:00Z', 1, '{}')`,
  [deliveryId, tenant.id],
);
afterAll(() => api.close());

const question = 'query ($id: ID!) { whereIs(id: $id) { objectId kind createdAt tenant { id name } } }';
const where = async (id: string | number, asking: { key: string; tenant?: number } = platform) =>
  (await api.by(asking).read(question, { id: String(id) })).whereIs;
const kinds = async (id: string | number) => (await where(id)).map(({ kind }: { kind: string }) => kind);
const own = { id: gid.tenant(tenant.id), name: expect.any(String) };

describe('a platform key finds', () => {
  test('the tenant of a delivery and of an event by the number in a log, and when they were made', async () => {
    for (const [kind, number, objectId] of [
      ['DELIVERY', deliveryId, gid.delivery(deliveryId)],
      ['EVENT', eventId!, gid.event(eventId!)],
    ] as const) {
      const found = { objectId, kind, tenant: own, createdAt: `${idToDate(number).toISOString().slice(0, 19)}+00:00` };
      expect(await where(number)).toEqual([found]);
      expect(await where(objectId)).toEqual([found]);
    }
    expect(await where(`at_${deliveryId}_1`)).toEqual([
      { objectId: `at_${deliveryId}_1`, kind: 'ATTEMPT', tenant: own, createdAt: '2026-03-01T00:00:00+00:00' },
    ]);
    expect(await where(`at_${deliveryId}_2`)).toEqual([]);
  });

  test('everything that a small number belongs to, and one of it by its global id', async () => {
    const session = await makePortalSession(api.services, tenant.id);
    expect(await kinds(gid.portalSession(session))).toEqual(['PORTAL_SESSION']);
    expect(await kinds(gid.apiKey(session))).toEqual([]);
    expect(await kinds(tenant.id)).toEqual(expect.arrayContaining(['WEBHOOK', 'TENANT', 'API_KEY']));
    expect(await where(gid.webhook(webhookId))).toMatchObject([{ kind: 'WEBHOOK', tenant: own }]);
    expect(await where(gid.tenant(tenant.id))).toMatchObject([{ kind: 'TENANT', tenant: own }]);
    expect(await where(gid.apiKey(platform.id))).toMatchObject([{ kind: 'API_KEY', tenant: null }]);
    expect(await where('et_coupon.applied')).toMatchObject([{ kind: 'EVENT_TYPE', tenant: null }]);
  });

  test('each of two events of one number, which are of different tenants', async () => {
    await api.owner.query(
      `insert into hookwright.events (id, tenant_id, event_type, body) values ($1, $2, 'coupon.applied', '{}')`,
      [eventId, other.id],
    );
    const found = (await where(eventId!)).map(({ tenant: { id } }: { tenant: { id: string } }) => id);
    expect(found.sort()).toEqual([tenant.id, other.id].map(gid.tenant).sort());
  });

  test('the same while it acts for one tenant, without an entry in the log of another', async () => {
    expect(await where(deliveryId, { key: platform.key, tenant: other.id })).toMatchObject([{ tenant: own }]);
    const { rows } = await api.owner.query(
      `select from hookwright.audit_log where tenant_id = $1 and action = 'TENANT_ENTERED'`,
      [tenant.id],
    );
    expect(rows).toEqual([]);
  });

  test('nothing of a tenant that was deleted, and nothing by a number that nothing has', async () => {
    const gone = await makeTenant(api.services);
    const { id } = await makeWebhook(api.services, gone.id);
    const [event] = await emitMany(api.services, gone.id, 1);
    expect(await kinds(event!)).toEqual(['EVENT']);
    const { rows } = await api.owner.query('select name from hookwright.tenants where id = $1', [gone.id]);
    await deleteTenant(api.services.db, { tenantId: gone.id, name: rows[0].name }, commandLine);
    expect([await where(event!), await where(gid.webhook(id)), await where(gid.tenant(gone.id))]).toEqual([[], [], []]);
    expect(await where(Number.MAX_SAFE_INTEGER)).toEqual([]);
  });
});

test('the key of a tenant finds nothing, not even of its own; and a text must be an id', async () => {
  for (const id of [String(deliveryId), gid.tenant(tenant.id)]) {
    expect(codesOf(await api.ask(question, { id }, tenant))).toEqual(['FORBIDDEN']);
  }
  for (const id of ['', '0', '-1', 'wh_', 'booking', '9007199254740993', "1' or true", 'at_1_1_1']) {
    const { errors } = await api.ask(question, { id }, platform);
    expect(errors[0].extensions.errors, id).toMatchObject([{ path: ['id'], code: 'invalid_id' }]);
  }
});

test('a search reads one partition, however many tenants there are', async () => {
  await api.owner.query(
    `insert into hookwright.tenants (name, data_key, data_key_kid) select 'many ' || n, '', 'x' from generate_series(1, 2000) n`,
  );
  await api.owner.query('analyze hookwright.tenants');
  const client = await api.owner.connect();
  try {
    await client.query(`select set_config('app.tenant', '0', false)`);
    // The function's statement for numbers that contain a time, whose plan can be seen.
    const { rows } = await client.query(`select prosrc from pg_proc where proname = 'where_is'`);
    const text = /then\s+return query ([^;]*);/
      .exec(rows[0].prosrc)![1]!
      .replaceAll('wanted', '$1')
      .replaceAll('= attempt', '= $2');
    await client.query(`set plan_cache_mode = force_generic_plan; prepare w (bigint, integer) as ${text}`);
    const { rows: plan } = await client.query(`explain (analyze, costs off) execute w(${eventId}, null)`);
    const lines = plan.map((row) => row['QUERY PLAN'] as string).join('\n');
    expect(lines).toMatch(/Subplans Removed: \d/);
    expect(lines).not.toMatch(/Seq Scan on (events|deliveries|attempts)/);
    expect(lines).toMatch(/Index (Only )?Scan using events_\d+_pkey.*loops=1\b/);
  } finally {
    client.release(true);
  }
});

test('a number without a time is looked for in no partition', async () => {
  const client = await api.owner.connect();
  try {
    const partitions = async (number: number) => {
      await client.query(`begin; select set_config('app.tenant', '0', true)`);
      await client.query('select from hookwright.where_is($1, null)', [number]);
      const { rows } = await client.query(
        `select relname from pg_locks join pg_class on pg_class.oid = relation
         where pid = pg_backend_pid() and relname ~ '^(events|deliveries|attempts)'`,
      );
      await client.query('rollback');
      return rows.length;
    };
    expect(await partitions(webhookId)).toBe(0);
    expect(await partitions(eventId!)).toBeGreaterThan(0);
  } finally {
    client.release();
  }
});
