import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import type { Services } from '../../src/api/context/context.js';
import type { Emit } from '../../src/domain/events/emit.js';
import { countErasure, type ErasureFilter, startErasure } from '../../src/operations/bulk/start-erasure.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { scheduleEvent } from '../../src/operations/scheduled/schedule-event.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createTestDatabase } from '../support/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeKey, makeWebhook, openTestServices } from '../support/factories.js';
import { answer, holdAnswers, type Receiver, startReceiver } from '../support/receiver.js';
import { startSystemPostgres, systemPostgres } from '../support/system-postgres.js';

const bin = systemPostgres();
const MARKER = 'Marker-7c1f';
const everything: ErasureFilter = { eventTypes: null, field: null, since: new Date(0), until: null };

/** Answers with what it got, in its body and in a header. */
const echo: Parameters<typeof startReceiver>[0] = (request, response) =>
  void response.writeHead(200, { 'x-echo': MARKER }).end(request.body);

let services: Services;
let url: string;
let tenantId: number;
/** The webhook whose events name its addresses. */
let called: number;
const receivers: Receiver[] = [];
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) {
    await close();
  }
});

const rows = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await services.db.pool.query(sql, values)).rows as Row[];

/** The tables in which the marker stands, as text or as the bytes of one. */
async function tablesWith(marker: string): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind = 'r'`,
  );
  const hex = Buffer.from(marker).toString('hex');
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await rows<{ found: boolean }>(
      `select exists (select from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0) as found`,
      [marker, hex],
    );
    found.push(...(row!.found ? [name.replace(/_\d{8}$/, '').replace(/^hookwright\./, '')] : []));
  }
  return [...new Set(found)].sort();
}

const emit = async (code: string, more: Partial<Emit> = {}) => {
  const body = JSON.stringify({ code, discount_type: 'x' });
  const [result] = await services.emitter.emit([couponEmit(tenantId, { body, ...more })]);
  return (result as { eventId: number }).eventId;
};

async function schedule(idempotencyKey: string, delaySeconds: number) {
  const event = couponEmit(tenantId, { body: JSON.stringify({ code: MARKER, discount_type: 'x' }), idempotencyKey });
  const more = {
    orderingKey: MARKER,
    previous: `{"code":"${MARKER}"}`,
    to: [{ webhookId: called, path: `/${MARKER}` }],
  };
  await scheduleEvent(services.db, { ...event, ...more, deliverAt: null, delaySeconds });
}

const endpoint = async (respond: Parameters<typeof startReceiver>[0]) => {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  closing.push(() => receiver.close());
  return (await makeWebhook(services, tenantId, { url: receiver.url, eventTypes: ['coupon.applied'] })).id;
};

/** Orders an endpoint by key: a delivery that has failed blocks what comes after it. */
const ordered = (webhook: number) =>
  rows(
    `insert into hookwright.webhook_options (webhook_id, tenant_id, ordering_by, ordering_keep, ordering_on_failure)
     values ($1, $2, 'KEY', 'ALL', 'BLOCK')`,
    [webhook, tenantId],
  );

/** Two causes of an operational event: one raises it, with a notice, and the other one waits for its minute. */
const raise = (webhook: number) =>
  rows(
    `select hookwright.raise_events(array[$2::bigint], array[$1::bigint], array['webhook.failing'],
       array[json_build_object('webhook_id', $1::text, 'origin', $3::text)::text], array[1])`,
    [webhook, tenantId, MARKER],
  );

interface Ended {
  total: number;
  status: string;
  affected: number;
  error: string | null;
}

async function erase(filter: ErasureFilter): Promise<Ended> {
  const { id: keyId } = await makeKey(services, tenantId, ['events:erase']);
  const by = { ...commandLine, kind: 'TENANT_KEY', keyId } as const;
  const { count } = await countErasure(services.db, tenantId, filter, by);
  const { db, vault } = services;
  const { id } = await startErasure(db, vault, tenantId, { filter, confirm: count, reason: 'r' }, by);
  return await eventually(async () => {
    const [row] = await rows<Ended>(
      'select total, status, affected, error from hookwright.bulk_operations where id = $1 and finished_at is not null',
      [id],
    );
    return row;
  }, 30_000);
}

describe('after eraseEvents of everything', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    if (bin === null) {
      const { url: made, drop } = await createTestDatabase();
      [url] = [made, closing.push(drop)];
    } else {
      const server = await startSystemPostgres(bin);
      closing.push(() => server.close());
      url = server.url;
      await migrate(url);
    }
    services = await openTestServices(url, {
      settings: { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8', RETRY_BASE_SECONDS: '0.05' },
    });
    closing.push(() => services.db.close());
    tenantId = (await createTenant(services.db, services.vault, 'tenant', commandLine)).id;
    daemon = new Daemon(services);
    closing.push(() => daemon.stop());
    await fill();
  }, 60_000);

  async function fill() {
    const good = await endpoint(echo);
    const broken = await endpoint(answer(410, {}, MARKER));
    const waiting = await endpoint(answer(200));
    await ordered(waiting);
    called = await endpoint(answer(200));
    await rows('insert into hookwright.webhook_options (webhook_id, tenant_id, callback) values ($1, $2, true)', [
      ...[called, tenantId],
    ]);
    await emit('former', {
      previous: `{"code":"${MARKER}"}`,
      to: [{ webhookId: called, path: `/${MARKER}` }],
    });
    await rows(
      `update hookwright.webhooks set active = false, disabled_reason = 'PAUSED', hold_until = now() + interval '1 day'
                where id = $1`,
      [waiting],
    );
    for (const number of [1, 2, 3]) {
      await emit(`${MARKER} ${number}`, { idempotencyKey: `${MARKER} ${number}`, orderingKey: MARKER });
    }
    await eventually(async () => {
      const [row] = await rows<{ done: number }>(
        `select count(*)::integer as done from hookwright.deliveries
         where webhook_id in ($1, $2) and status in ('SUCCEEDED', 'FAILED', 'HELD')`,
        [good, broken],
      );
      return row!.done === 6;
    }, 30_000);
    await schedule(`${MARKER} due`, 0);
    await emitScheduled(services.db.pool);
    await schedule(`${MARKER} open`, 3_600);
    await rows(
      `insert into hookwright.notice_recipients (tenant_id, address, topics, confirmed_at)
       values ($1, 'a@example.com', '{FAILING}', now())`,
      [tenantId],
    );
    await raise(good);
    await raise(good);
  }

  test('with a condition, what meets it is erased, and its value is nowhere', async () => {
    const [only, other] = [await emit('Only-1 of 42'), await emit('another one')];
    const field = { path: 'code', op: 'STARTS_WITH', value: 'Only-1' } as const;
    const { total, status, affected, error } = await erase({ ...everything, field });
    expect({ total, status, affected, error }).toEqual({ total: 1, status: 'COMPLETED', affected: 1, error: null });
    expect(await tablesWith('Only-1')).toEqual([]);
    const left = await rows<{ id: number }>('select id from hookwright.events where erased_at is null and id >= $1', [
      only,
    ]);
    expect(left.map(({ id }) => Number(id))).toEqual([other]);
  });

  test('the marker is in no table, and deliveries, attempts and counts are what they were', {
    timeout: 60_000,
  }, async () => {
    expect(await tablesWith(MARKER)).toEqual([
      ...['attempts', 'deliveries', 'events', 'idempotency_keys', 'notices', 'ordering_keys', 'ordering_queue'],
      ...['raised_events', 'scheduled_events'],
    ]);
    const counts = () =>
      rows<{
        events: number;
      }>(`select (select count(*)::integer from hookwright.events) as events, (select count(*) from hookwright.attempts) as attempts,
                   (select count(*) from hookwright.deliveries) as deliveries,
                   (select sum(successes + failures) from hookwright.delivery_stats) as stats`);
    const before = await counts();
    const { total, status, affected } = await erase(everything);
    // But for the one that is erased, and with the scheduled event that is not due yet.
    const erasable = before[0]!.events;
    expect({ total, status, affected }).toEqual({ total: erasable, status: 'COMPLETED', affected: erasable });
    expect(await tablesWith(MARKER)).toEqual([]);
    expect(await counts()).toEqual(before);
    const open = await rows(`select from hookwright.deliveries where status in ('PENDING', 'WAITING', 'HELD')`);
    expect(open).toEqual([]);
    const [erased] = await rows(`select count(*)::integer as events, min(erased_bytes) > 20 as sized
                                 from hookwright.events where erased_at is not null`);
    expect(erased).toEqual({ events: before[0]!.events, sized: true });
  });

  test.skipIf(bin === null && process.env['CI'] === undefined)('and in no dump', () => {
    const dump = execFileSync(join(bin!, 'pg_dump'), ['--dbname', url], { maxBuffer: 256 * 1024 ** 2 });
    expect(dump.length).toBeGreaterThan(100_000);
    expect(dump.includes(MARKER)).toBe(false);
    expect(dump.includes(Buffer.from(MARKER).toString('hex'))).toBe(false);
  });
});

/** Columns that can hold a part of a payload, or of what was made of one. All are searched above. */
const OF_PAYLOADS = [
  'attempts.response_body attempts.response_headers deliveries.ordering_key deliveries.path events.body',
  'events.ordering_key events.previous',
  'idempotency_keys.key notices.body ordering_keys.key ordering_queue.key raised_events.pending_body',
  'scheduled_events.body scheduled_events.idempotency_key scheduled_events.ordering_key scheduled_events.previous',
  'scheduled_events.targets',
].flatMap((line) => line.split(' '));

/** Hashes of payloads and keys stay, and so does a condition until its erasure ends: it is sealed. */
const OF_HASHES = [
  'bulk_operations.sealed_field erasure_counts.filter_hash idempotency_keys.request_hash scheduled_events.content_hash',
].flatMap((line) => line.split(' '));

/** Tables whose texts are about webhooks, tenants, keys and the installation. */
const OTHER_TABLES = [
  'api_keys audit_log bulk_operations challenge_hosts changes confirmation_requests creation_keys daemons',
  'delivery_stats doctor_findings edition endpoint_states endpoint_tokens event_traces event_type_versions event_types',
  'failovers failure_stats housekeeping installation_report migrations notice_recipients outbox_grants queue_stats',
  'release_versions releases signing_keys tenant_moves tenants',
  'verifications webhook_contents webhook_options webhook_recoveries webhooks',
].flatMap((line) => line.split(' '));

/** Texts of the tables with payloads that have none. */
const OTHER_COLUMNS = [
  'attempts.error_code attempts.method attempts.request_headers attempts.url deliveries.event_type',
  'deliveries.last_error_code events.event_type notices.topic raised_events.event_type scheduled_events.error',
  'scheduled_events.event_type scheduled_events.status',
].flatMap((line) => line.split(' '));

test('every column that holds text or bytes is said to hold parts of payloads, or not to', async () => {
  await using stack = await DeliveryStack.open();
  const columns = await stack.rows<{ name: string; relname: string }>(
    `select c.relname || '.' || a.attname as name, c.relname from pg_attribute a
     join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'hookwright' and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
       and not a.attisdropped and a.atttypid::regtype::text ~ '^(text|bytea|jsonb?|character varying)(\\[\\])?$'`,
  );
  const known = new Set([...OF_PAYLOADS, ...OF_HASHES, ...OTHER_COLUMNS]);
  const unknown = columns.filter(({ name, relname }) => !known.has(name) && !OTHER_TABLES.includes(relname));
  expect(unknown.map(({ name }) => name).sort()).toEqual([]);
  const names = new Set(columns.map(({ name }) => name));
  expect([...known].filter((name) => !names.has(name))).toEqual([]);
});

describe('a request that is under way while its event is erased', () => {
  test('is finished, and its answer is not kept', async () => {
    await using stack = await DeliveryStack.open();
    const receiver = await stack.endpoint();
    const letGo = holdAnswers(receiver, answer(200, { 'x-echo': MARKER }, MARKER));
    stack.startDaemon();
    const id = await stack.emit();
    const release = await letGo();
    await stack.rows(`select hookwright.erase_events(${stack.tenantId}, array[${id}::bigint])`);
    expect(await stack.delivery(id)).toMatchObject({ status: 'CANCELED', cancel_reason: 'ERASED' });
    release();
    expect(await stack.reaches(id, 'SUCCEEDED')).toMatchObject({ attempt_count: 1 });
    const [attempt] = await stack.rows('select status_code, response_body, response_headers from hookwright.attempts');
    expect(attempt).toEqual({ status_code: 200, response_body: null, response_headers: null });
  });
});

test('a delivery that a process of before has reopened is canceled before it is sent', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  const id = await stack.emit();
  await stack.rows(`select hookwright.erase_events(${stack.tenantId}, array[${id}::bigint])`);
  await stack.rows(
    `with reopened as (update hookwright.deliveries set status = 'PENDING', cancel_reason = null, due_at = now()
       where event_id = ${id} returning id)
     select hookwright.enqueue_deliveries(array_agg(id), array[1], array[now()], array[0]) from reopened`,
  );
  stack.startDaemon();
  expect(await stack.reaches(id, 'CANCELED')).toMatchObject({ cancel_reason: 'ERASED', attempt_count: 0 });
  expect(receiver.received).toEqual([]);
});

test('the next one of a key goes on when the one that blocks it is erased', async () => {
  await using stack = await DeliveryStack.open({ RETRY_MAX: '0' });
  const receiver = await stack.endpoint(answer(500));
  await stack.rows(
    `insert into hookwright.webhook_options (webhook_id, tenant_id, ordering_by, ordering_keep, ordering_on_failure)
     values (${receiver.webhookId}, ${stack.tenantId}, 'KEY', 'ALL', 'BLOCK')`,
  );
  const emitOne = async () => {
    const [result] = await stack.services.emitter.emit([couponEmit(stack.tenantId, { orderingKey: 'k' })]);
    return (result as { eventId: number }).eventId;
  };
  const [first, second] = [await emitOne(), await emitOne()];
  stack.startDaemon();
  await stack.reaches(first, 'FAILED');
  receiver.answerWith(answer(200));
  await stack.rows(`select hookwright.erase_events(${stack.tenantId}, array[${first}::bigint])`);
  await stack.reaches(second, 'SUCCEEDED');
});
