import { expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { hasTenants } from '../../src/operations/tenants/create-tenant.js';
import { deleteTenant, eraseTenants } from '../../src/operations/tenants/delete-tenant.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { everyKindOfRow } from '../support/every-kind-of-row.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { answer, startReceiver } from '../support/receiver.js';

/** Days are dropped as a whole; changes are kept for minutes; moves say for ever in which cell a tenant lives. */
const GOES_BY_ITSELF = /^(events|deliveries|attempts|event_traces|changes|tenant_moves)(_|$)/;

/** How many rows each table has of a tenant. */
async function rowsOf(stack: DeliveryStack, tenantId: number): Promise<Record<string, number>> {
  const tables = await stack.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema = 'hookwright' and column_name = 'tenant_id' and table_type = 'BASE TABLE' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables.filter((table) => !GOES_BY_ITSELF.test(table.name))) {
    const [row] = await stack.rows<{ rows: number }>(
      `select count(*)::integer as rows from hookwright.${name} where tenant_id = ${tenantId}`,
    );
    counts[name] = row!.rows;
  }
  return counts;
}

/** A row of the tenant in each table that has some by tenant. */
async function fill(stack: DeliveryStack, tenantId: number, url: string): Promise<void> {
  const webhook = await makeWebhook(stack.services, tenantId, { url });
  await emitMany(stack.services, tenantId, 3);
  await stack.rows(everyKindOfRow(tenantId, webhook.id));
  await stack.rows(`insert into hookwright.outbox_grants values ('shop', ${tenantId})`);
}

test('a foreign key on keys or webhooks has an index: erasing many of them reads no whole table for each', async () => {
  await using stack = await DeliveryStack.open();
  const lacking = await stack.rows<{ name: string }>(`
    select c.conrelid::regclass || '.' || a.attname as name
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid in ('hookwright.api_keys'::regclass, 'hookwright.webhooks'::regclass)
      and not exists (select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])`);
  expect(lacking).toEqual([]);
});

test('an installation whose only tenant was erased has had one: a start makes no first tenant again', async () => {
  await using stack = await DeliveryStack.open();
  const { db } = stack.services;
  await deleteTenant(db, { tenantId: stack.tenantId, name: 'tenant' }, commandLine);
  await stack.rows(`update hookwright.tenants set deleted_at = now() - interval '1 year'`);
  expect(await eraseTenants(db.pool, 30)).toEqual([stack.tenantId]);
  expect(await stack.rows('select from hookwright.tenants')).toEqual([]);
  expect(await hasTenants(db)).toBe(true);
});

test('all that is left of a deleted tenant goes three days after the retention, and nothing of another one', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await startReceiver();
  receiver.answerWith(answer(200));
  const { db } = stack.services;
  const [leaving, staying] = [await makeTenant(stack.services), await makeTenant(stack.services)];
  const daemon = stack.startDaemon();
  for (const { id } of [leaving, staying]) {
    await fill(stack, id, receiver.url);
  }
  await eventually(async () => (await stack.deliveries(`status = 'SUCCEEDED'`)).length === 6);
  await daemon.stop();
  const before = await rowsOf(stack, staying.id);
  expect(Object.keys(before).filter((table) => before[table] === 0)).toEqual([]);

  const [{ name }] = (await stack.rows<{ name: string }>(
    `select name from hookwright.tenants where id = ${leaving.id}`,
  )) as [{ name: string }];
  await deleteTenant(db, { tenantId: leaving.id, name }, commandLine);
  const deletedBefore = (days: number) =>
    stack.rows(
      `update hookwright.tenants set deleted_at = now() - interval '${days} days' where deleted_at is not null`,
    );
  await deletedBefore(32.9);
  expect(await eraseTenants(db.pool, 30)).toEqual([]);
  await deletedBefore(33.1);
  expect(await eraseTenants(db.pool, 30)).toEqual([leaving.id]);
  expect(new Set(Object.values(await rowsOf(stack, leaving.id)))).toEqual(new Set([0]));
  expect(await stack.rows(`select from hookwright.tenants where id = ${leaving.id}`)).toEqual([]);
  expect(await rowsOf(stack, staying.id)).toEqual(before);
  expect(await eraseTenants(db.pool, 30)).toEqual([]);
  await receiver.close();
});

test('a deleted webhook keeps no secret and no option, whether it goes alone or with its tenant', async () => {
  await using stack = await DeliveryStack.open();
  const { db } = stack.services;
  const { id: tenantId } = await makeTenant(stack.services);
  const [alone, withTenant] = [
    await makeWebhook(stack.services, tenantId, { url: 'https://example.com/' }),
    await makeWebhook(stack.services, tenantId, { url: 'https://example.com/' }),
  ];
  await stack.rows(`
    insert into hookwright.webhook_options (webhook_id, tenant_id, name, filter, filter_path, auth, ordering_by)
      select id, tenant_id, 'Shop', '{}', '$.a == 1', '{"a":1}', 'KEY' from hookwright.webhooks where tenant_id = ${tenantId};
    update hookwright.webhooks set options_version = 1, previous_sealed_secret = 'a', hold_until = now() + interval '1 day',
      previous_secret_expires_at = now() + interval '1 day' where tenant_id = ${tenantId}`);
  await deleteWebhook(db, tenantId, alone.id, commandLine);
  await stack.rows(`update hookwright.tenants set name = 'Shop' where id = ${tenantId}`);
  await deleteTenant(db, { tenantId, name: 'Shop' }, commandLine);
  const left = ({ id }: { id: number }) =>
    stack.rows<{ webhook: Record<string, unknown>; options: Record<string, unknown> }>(
      `select to_json(w) as webhook, to_json(o) as options
       from hookwright.webhooks w join hookwright.webhook_options o on o.webhook_id = w.id where w.id = ${id}`,
    );
  const [[one], [other]] = [await left(alone), await left(withTenant)];
  const { webhook_id: _, tenant_id: __, ...options } = one!.options;
  expect(new Set(Object.values(options))).toEqual(new Set([null]));
  expect(one!.webhook).toMatchObject({
    active: false,
    version: 2,
    generation: 1,
    plain: true,
    hold_until: null,
    sealed_secret: '\\x',
    previous_sealed_secret: null,
    previous_secret_expires_at: null,
    deleted_at: expect.any(String),
  });
  const its = { id: withTenant.id, created_at: expect.anything(), deleted_at: expect.anything() };
  expect(other).toEqual({
    webhook: { ...one!.webhook, ...its },
    options: { ...one!.options, webhook_id: withTenant.id },
  });
});
