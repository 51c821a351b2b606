import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { check } from '../../src/operations/doctor/check.js';
import { examineRunningDeliveries } from '../../src/operations/doctor/examine.js';
import { noteFindings } from '../../src/operations/doctor/note-findings.js';
import { rollPartitions } from '../../src/operations/housekeeping/roll-partitions.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { deleteTenant, ERASED_AFTER_RETENTION_DAYS, eraseTenants } from '../../src/operations/tenants/delete-tenant.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { receivedOf, signatureOf } from '../support/operational-news.js';
import { type Answer, answer, startReceiver } from '../support/receiver.js';

/** An endpoint that fails is probed in longer and longer pauses before its webhook is disabled. */
const WAIT_MAX_MS = 60_000;
vi.setConfig({ testTimeout: 3 * WAIT_MAX_MS });
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open({ MAX_RETRIES: '0' });
});
afterEach(() => stack[Symbol.asyncDispose]());

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A webhook of the installation with a receiver of its own. */
async function listen(eventTypes = ['*'], respond: Answer = answer(200)): Promise<Endpoint> {
  const receiver = await startReceiver(respond);
  closing.push(() => receiver.close());
  const { id, secret } = await makeWebhook(stack.services, INSTALLATION_TENANT, { url: receiver.url, eventTypes });
  return Object.assign(receiver, { webhookId: id, secret });
}

const told = (receiver: Endpoint, type: string, nth = 0) =>
  eventually(() => receivedOf(receiver, type)[nth], WAIT_MAX_MS);
const payloadOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Record<string, unknown>;
const changeOwn = (webhookId: number, change: object) =>
  updateWebhook(stack.services.db, INSTALLATION_TENANT, webhookId, change, 24, commandLine);
/** The events that the installation has, in their order. */
const ownEvents = (type?: string) =>
  stack.rows<{ event_type: string; payload: Record<string, unknown> }>(
    `select event_type, body::json as payload from hookwright.events
     where tenant_id = ${INSTALLATION_TENANT} ${type === undefined ? '' : `and event_type = '${type}'`} order by id`,
  );

describe('an operational event', () => {
  test('of every tenant reaches webhooks of the installation, signed, with the tenant that it is about', async () => {
    const operator = await listen(['webhook.disabled']);
    const watching = await stack.endpoint(answer(200), ['webhook.disabled']);
    const other = await makeTenant(stack.services);
    const gone = await startReceiver(answer(410));
    closing.push(() => gone.close());
    const of = new Map<number, number>();
    for (const tenantId of [stack.tenantId, other.id]) {
      const { id } = await makeWebhook(stack.services, tenantId, { url: gone.url, eventTypes: ['coupon.applied'] });
      of.set(tenantId, id);
      await stack.services.emitter.emit([
        {
          tenantId,
          eventType: 'coupon.applied',
          body: '{"code":"X","discount_type":"fixed"}',
          idempotencyKey: null,
          onlyWebhookId: null,
        },
      ]);
    }
    stack.startDaemon();

    await told(operator, 'webhook.disabled', 1);
    const got = receivedOf(operator, 'webhook.disabled');
    for (const { headers, body } of got) {
      expect(headers['x-service-signature']).toBe(signatureOf(operator.secret, body));
    }
    const payloads = got.map(payloadOf).sort((a, b) => Number(a['tenant_id']) - Number(b['tenant_id']));
    expect(payloads).toEqual(
      [...of].map(([tenantId, webhookId]) => ({
        webhook_id: String(webhookId),
        origin: new URL(gone.url).origin,
        name: '',
        reason: 'GONE',
        consecutive_failures: '1',
        disabled_at: TIMESTAMP,
        held_until: TIMESTAMP,
        count: '1',
        tenant_id: String(tenantId),
        tenant_external_id: null,
      })),
    );
    // The tenant's own webhook is told as ever.
    expect(Object.keys(payloadOf(await told(watching, 'webhook.disabled')))).not.toContain('tenant_id');
    expect(receivedOf(watching, 'webhook.disabled')).toHaveLength(1);
  });

  test('about a webhook of the installation reaches the others of it, and names no tenant', async () => {
    const failing = await listen(['audit.entry'], answer(410));
    const operator = await listen(['webhook.disabled']);
    stack.startDaemon();
    await stack.change(await stack.webhook('https://example.com/').then(({ id }) => id), { name: 'Shop' });
    expect(payloadOf(await told(operator, 'webhook.disabled'))).toMatchObject({
      webhook_id: String(failing.webhookId),
      tenant_id: null,
      tenant_external_id: null,
    });
  });
});

describe('audit.entry', () => {
  test('has each new entry of every log once, with its values', async () => {
    const operator = await listen(['audit.entry']);
    stack.startDaemon();
    const [from] = await stack.rows<{ id: number }>('select max(id) as id from hookwright.audit_log');
    const { id } = await stack.webhook('https://example.com/');
    await stack.change(id, { name: 'Shop "1" / Öl' });
    const other = await makeTenant(stack.services);
    const [{ name }] = (await stack.rows(`select name from hookwright.tenants where id = ${other.id}`)) as [
      { name: string },
    ];
    await deleteTenant(stack.services.db, { tenantId: other.id, name }, commandLine);

    const rows = await stack.rows<Record<string, unknown>>(`
      select id::text as entry_id, actor, api_key_id::text, action, target_type, target_id, before::json, after::json,
             request_id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as created_at,
             tenant_id::text, null as tenant_external_id
      from hookwright.audit_log where id > ${from!.id} order by id`);
    expect(rows.map(({ action }) => action)).toEqual([
      'WEBHOOK_CREATED',
      'WEBHOOK_UPDATED',
      'TENANT_CREATED',
      'API_KEY_CREATED',
      'TENANT_DELETED',
    ]);
    await told(operator, 'audit.entry', rows.length - 1);
    await stack.noDeliveryJobs();
    const byEntry = (a: Record<string, unknown>, b: Record<string, unknown>) =>
      Number(a['entry_id']) - Number(b['entry_id']);
    expect(receivedOf(operator, 'audit.entry').map(payloadOf).sort(byEntry)).toEqual(rows);
    const [updated] = receivedOf(operator, 'audit.entry').filter(({ body }) => body.includes('WEBHOOK_UPDATED'));
    expect(updated!.body.toString()).toContain('Shop \\"1\\" / Öl');
  });

  test('is not written when the change is rolled back', async () => {
    await listen();
    const before = (await ownEvents()).length;
    const rolledBack = updateTenant(stack.services.db, stack.tenantId, { name: 'x'.repeat(10) }, commandLine);
    await rolledBack;
    expect((await ownEvents()).length).toBe(before + 1);
    await makeTenant(stack.services);
    const taken = createTenant(stack.services.db, stack.services.vault, 'x'.repeat(10), commandLine);
    await expect(taken).rejects.toThrow('Another tenant has this name.');
    expect(await ownEvents('tenant.created')).toHaveLength(1);
  });

  test('of what the service notes about a webhook of the installation is left out: a delivery may be its cause', async () => {
    const failing = await listen(['audit.entry'], answer(410));
    const operator = await listen(['audit.entry']);
    stack.startDaemon();
    await updateTenant(stack.services.db, stack.tenantId, { name: 'Shop' }, commandLine);
    await eventually(async () => !(await stack.webhookRow(failing.webhookId)).active, WAIT_MAX_MS);
    await stack.noDeliveryJobs();
    const noted = `select actor from hookwright.audit_log where action = 'WEBHOOK_DISABLED'`;
    expect(await stack.rows(noted)).toEqual([{ actor: 'SERVICE' }]);
    const actions = receivedOf(operator, 'audit.entry').map((request) => payloadOf(request)['action']);
    expect(actions).not.toContain('WEBHOOK_DISABLED');
    // What people do to it is told, and to itself as well.
    await changeOwn(failing.webhookId, { name: 'SIEM' });
    expect(await ownEvents('audit.entry')).toContainEqual(
      expect.objectContaining({ payload: expect.objectContaining({ target_id: String(failing.webhookId) }) }),
    );
  });
});

test('two webhooks of the installation that fail for ever come to an end', async () => {
  await listen(['*'], answer(500));
  await listen(['*'], answer(500));
  stack.startDaemon();
  for (let n = 0; n < 12; n++) {
    await updateTenant(stack.services.db, stack.tenantId, { name: `Shop ${n}` }, commandLine);
  }
  const inactive = `select from hookwright.webhooks where tenant_id = ${INSTALLATION_TENANT} and not active`;
  await eventually(async () => (await stack.rows(inactive)).length === 2, WAIT_MAX_MS);
  await stack.noDeliveryJobs();
  const counted = async () => (await ownEvents()).length;
  const before = await counted();
  await stack.rows(`update hookwright.raised_events set raised_at = raised_at - interval '61 seconds'`);
  await stack.rows('select hookwright.raise_pending(100)');
  const after = await counted();
  await stack.noDeliveryJobs();
  await stack.rows(`update hookwright.raised_events set raised_at = raised_at - interval '61 seconds'`);
  await stack.rows('select hookwright.raise_pending(100)');
  expect(await counted()).toBe(after);
  expect(after - before).toBeLessThanOrEqual(4);
});

test('tenant.created and tenant.deleted name the tenant', async () => {
  const operator = await listen(['tenant.created', 'tenant.deleted']);
  stack.startDaemon();
  const { id } = await createTenant(stack.services.db, stack.services.vault, 'Käufer "1"', commandLine);
  await deleteTenant(stack.services.db, { tenantId: id, name: 'Käufer "1"' }, commandLine);
  const payload = { name: 'Käufer "1"', at: TIMESTAMP, tenant_id: String(id), tenant_external_id: null };
  expect(payloadOf(await told(operator, 'tenant.created'))).toEqual(payload);
  expect(payloadOf(await told(operator, 'tenant.deleted'))).toEqual(payload);
});

test('a tenant’s external id stands beside its number', async () => {
  await listen(['audit.entry', 'tenant.deleted']);
  await stack.rows(`
    alter table hookwright.tenants add column if not exists external_id text;
    update hookwright.tenants set external_id = 'cust_42' where id = ${stack.tenantId}`);
  await updateTenant(stack.services.db, stack.tenantId, { name: 'Shop' }, commandLine);
  // A deleted tenant has given its id back, and the entry has it.
  await stack.rows(`
    update hookwright.tenants set external_id = null where id = ${stack.tenantId};
    insert into hookwright.audit_log (actor, action, target_type, target_id, before)
    values ('COMMAND_LINE', 'TENANT_DELETED', 'TENANT', '${stack.tenantId}', '{"name":"Shop","externalId":"cust_42"}')`);
  const named = (await ownEvents()).map(({ event_type, payload }) => [event_type, payload['tenant_external_id']]);
  expect(named).toContainEqual(['audit.entry', 'cust_42']);
  expect(named).toContainEqual(['tenant.deleted', 'cust_42']);
});

describe('doctor.finding', () => {
  const note = (...checks: Parameters<typeof check>[]) =>
    noteFindings(
      stack.services.db.pool,
      checks.map((one) => check(...one)),
    );
  const findings = async () =>
    (await ownEvents('doctor.finding')).map(({ payload }) => `${payload['check']} ${payload['status']}`);
  const passMinute = () =>
    stack.rows(`update hookwright.doctor_findings set sent_at = sent_at - interval '61 seconds'`);

  test('is told when a check has another result than before, and once', async () => {
    await listen(['doctor.finding']);
    await Promise.all([
      note(['disk', 'ok', 'Fine.'], ['backlog', 'warn', 'Slow.']),
      note(['disk', 'ok', 'Fine.'], ['backlog', 'warn', 'Slow.']),
    ]);
    await note(['disk', 'ok', 'Fine.'], ['backlog', 'warn', 'Slower.']);
    expect(await ownEvents('doctor.finding')).toEqual([
      {
        event_type: 'doctor.finding',
        payload: { check: 'backlog', status: 'warn', text: 'Slow.', found_at: TIMESTAMP },
      },
    ]);

    await passMinute();
    await note(['disk', 'fail', 'Full.'], ['backlog', 'ok', 'Fine.']);
    expect(await findings()).toEqual(['backlog warn', 'backlog ok', 'disk fail']);
  });

  test('comes at most once a minute for a check, and then says how things are', async () => {
    await listen(['doctor.finding']);
    await note(['disk', 'fail', 'Full.']);
    await note(['disk', 'ok', 'Fine.']);
    await note(['disk', 'warn', 'Nearly full.']);
    expect(await findings()).toEqual(['disk fail']);
    await passMinute();
    await note(['disk', 'warn', 'Nearly full.']);
    expect(await findings()).toEqual(['disk fail', 'disk warn']);
  });

  test('of checks with one name has the worst', async () => {
    await listen(['doctor.finding']);
    await note(['host', 'ok', 'a'], ['host', 'fail', 'b'], ['host', 'warn', 'c']);
    expect(await findings()).toEqual(['host fail']);
  });

  test('tells who begins to listen of everything that is not in order', async () => {
    const first = await listen(['doctor.finding']);
    await note(['disk', 'fail', 'Full.']);
    await deleteWebhook(stack.services.db, INSTALLATION_TENANT, first.webhookId, commandLine);
    await note(['disk', 'fail', 'Full.']);
    await listen(['doctor.finding']);
    await note(['disk', 'fail', 'Full.']);
    expect(await findings()).toEqual(['disk fail', 'disk fail']);
  });

  test('is one when a webhook of the installation is disabled by failures, and not when a person pauses it', async () => {
    const { webhookId } = await listen(['audit.entry']);
    const look = async () => {
      const { checks } = await examineRunningDeliveries(stack.services.db.pool, new Date(), false);
      return checks.find(({ name }) => name === 'operator webhooks')?.status;
    };
    await changeOwn(webhookId, { active: false });
    expect(await look()).toBe('ok');
    await stack.rows(`update hookwright.webhooks set disabled_reason = 'FAILURES' where id = ${webhookId}`);
    expect(await look()).toBe('warn');
  });

  test('comes from a daemon that runs', async () => {
    const operator = await listen(['doctor.finding']);
    stack.startDaemon();
    expect(payloadOf(await told(operator, 'doctor.finding'))).toMatchObject({
      status: expect.stringMatching(/^(warn|fail)$/),
      text: expect.any(String),
    });
  });
});

test('two requests that make the first webhook of the installation at once both make one', async () => {
  const [one, other] = await Promise.all([listen(), listen()]);
  const rows = await stack.rows<{ id: number }>(
    `select id from hookwright.webhooks where tenant_id = ${INSTALLATION_TENANT} order by id`,
  );
  expect(rows.map(({ id }) => id)).toEqual([one.webhookId, other.webhookId].sort((a, b) => a - b));
});

test('nothing is written for the installation while none of its webhooks wants it', async () => {
  const changes = async () => {
    await updateTenant(stack.services.db, stack.tenantId, { name: `Shop ${Math.random()}` }, commandLine);
    await noteFindings(stack.services.db.pool, [check('disk', 'fail', 'Full.')]);
  };
  await changes();
  const { webhookId } = await listen(['tenant.deleted']);
  await changes();
  await deleteWebhook(stack.services.db, INSTALLATION_TENANT, webhookId, commandLine);
  await changes();
  expect(await ownEvents()).toEqual([]);
  expect(await stack.rows('select from hookwright.doctor_findings')).toEqual([]);
});

test('a filter chooses among the events of the installation', async () => {
  const operator = await listen(['audit.entry']);
  await changeOwn(operator.webhookId, {
    filter: { field: { path: 'action', op: 'STARTS_WITH', value: 'TENANT_' } },
  });
  await stack.webhook('https://example.com/');
  const { id } = await createTenant(stack.services.db, stack.services.vault, 'Shop', commandLine);
  const sent = await stack.rows<{ action: string; target: string }>(`
    select e.body::json->>'action' as action, e.body::json->>'target_id' as target
    from hookwright.deliveries d join hookwright.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    where d.webhook_id = ${operator.webhookId} order by d.id`);
  expect(sent.at(-1)).toEqual({ action: 'TENANT_CREATED', target: String(id) });
  expect(sent.map(({ action }) => action)).not.toContain('WEBHOOK_CREATED');
});

test('when a tenant is erased, nothing that the installation was told of it is left', async () => {
  const operator = await listen();
  const marker = 'tenant-that-goes';
  const { id } = await createTenant(stack.services.db, stack.services.vault, marker, commandLine);
  const webhook = await makeWebhook(stack.services, id, { url: `https://${marker}.example.com/` });
  await updateWebhook(stack.services.db, id, webhook.id, { name: marker }, 24, commandLine);
  const daemon = stack.startDaemon();
  await told(operator, 'tenant.created');
  await deleteTenant(stack.services.db, { tenantId: id, name: marker }, commandLine);
  await told(operator, 'tenant.deleted');
  await stack.noDeliveryJobs();
  await daemon.stop();

  const days = 30 + ERASED_AFTER_RETENTION_DAYS;
  const earlier = `(extract(epoch from interval '${days + 0.1} days') * 1000)::bigint * 4096`;
  await stack.rows(`
    select hookwright.make_partition(parent, (now() - interval '${days + 0.1} days')::date - day)
    from unnest(array['events', 'deliveries', 'attempts']) as parent, generate_series(-1, 1) as day;
    update hookwright.events set id = id - ${earlier};
    update hookwright.attempts set delivery_id = delivery_id - ${earlier};
    update hookwright.deliveries set id = id - ${earlier}, event_id = event_id - ${earlier};
    update hookwright.tenants set deleted_at = deleted_at - interval '${days + 0.1} days' where id = ${id}`);
  await rollPartitions(stack.services.db.pool, 30);
  expect(await eraseTenants(stack.services.db.pool, 30)).toEqual([id]);
  const tables = await stack.rows<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  const withMarker: string[] = [];
  for (const { name } of tables) {
    const found = await stack.rows(`select from hookwright.${name} t where t::text like '%${marker}%' limit 1`);
    withMarker.push(...(found.length > 0 ? [name] : []));
  }
  // The installation's own log keeps who deleted which tenant (docs/decisions/0025).
  expect(withMarker).toEqual(['audit_log']);
});
