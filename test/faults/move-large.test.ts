import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { makeWebhook } from '../support/factories.js';
import { onServer } from '../support/on-server.js';
import { CrashableGround } from './support/ground.js';
import { MovingSite } from './support/moving-site.js';
import { isLong, report, size } from './support/sizes.js';

/** A large tenant is closed for seconds (docs/decisions/0099). */

const PER_SECOND = 50;
const CLOSED_SECONDS_MAX = 5;
const LAG_MS_MAX = 5_000;
const MINUTE = 60_000;
const SAMPLE_MS = 20_000;

const sizes = {
  deliveries: size('FAULTS_MOVE_DELIVERIES', 2_000, 200_000),
  open: size('FAULTS_MOVE_OPEN', 300, 30_000),
  keys: size('FAULTS_MOVE_KEYS', 10_000, 5_000_000),
  scheduled: size('FAULTS_MOVE_SCHEDULED', 1_000, 100_000),
  entries: size('FAULTS_MOVE_ENTRIES', 5_000, 1_000_000),
};

/** Deliveries of five days, the newest of them open; keys, scheduled events and entries of a month. */
async function fill({ two, tenantId }: MovingSite): Promise<void> {
  const [source] = two.cells;
  const { id: paused } = await makeWebhook(source.services, tenantId, { url: 'https://example.com/paused' });
  await source.rows('update hookwright.webhooks set active = false, disabled_at = now() where id = $1', [paused]);
  await onServer(source.url, async (client) => {
    const run = (sql: string) => client.query(sql);
    await run(`set statement_timeout = 0; select set_config('app.brings_tenant', 'true', false)`);
    await run(`select hookwright.make_partition(parent, ((now() - n * interval '1 day') at time zone 'UTC')::date)
      from unnest('{events,deliveries,attempts}'::text[]) as parent, generate_series(0, 5) n`);
    await run(`
      create temp table old as
        select n, hookwright.id_at(now() - interval '1 hour' - (n * interval '5 days') / ${sizes.deliveries}) as id,
               now() - interval '1 hour' - (n * interval '5 days') / ${sizes.deliveries} as at
        from generate_series(1, ${sizes.deliveries}) n;
      insert into hookwright.events (id, tenant_id, event_type, body)
        select id, ${tenantId}, 'coupon.applied', '{"code":"SUMMER","discount_type":"percent"}' from old;
      insert into hookwright.deliveries
        (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at, finished_at)
        select id, ${tenantId}, id, ${paused}, 'coupon.applied', case when n <= ${sizes.open} then 'HELD' else 'FAILED' end
          ::hookwright.delivery_status, 1, at, case when n > ${sizes.open} then at end from old;
      insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code,
        request_headers, response_truncated)
        select id, 1, ${tenantId}, 'https://example.com/paused', at, 5, 500, '{}', false from old`);
    await run(`
      insert into hookwright.idempotency_keys (tenant_id, key, event_id, request_hash, created_at)
        select ${tenantId}, md5(n::text), 1, '\\x00', now() - interval '1 hour' - n * interval '0.1 seconds'
        from generate_series(1, ${sizes.keys}) n`);
    await run(`
      insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
        select ${tenantId}, 'coupon.applied', '{"code":"SUMMER","discount_type":"percent"}', now() + interval '30 days',
               now() + interval '30 days' from generate_series(1, ${sizes.scheduled})`);
    await run(`
      insert into hookwright.audit_log (tenant_id, actor, action, target_type, target_id, created_at)
        select ${tenantId}, 'COMMAND_LINE', 'WEBHOOK_UPDATED', 'WEBHOOK', '${paused}', now() - interval '1 hour' - n * interval '1 second'
        from generate_series(1, ${sizes.entries}) n`);
    await run('vacuum analyze');
  });
}

const p99 = (ms: readonly number[]) => ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)]!;

test.runIf(isLong)(
  'a large tenant moves: it takes no events for seconds, and is as quick as before a minute later',
  {
    timeout: 60 * MINUTE,
  },
  async () => {
    await using site = await MovingSite.open([await CrashableGround.open(), await CrashableGround.open()]);
    await fill(site);
    site.startLoad(PER_SECOND);
    await eventually(() => site.emitted.length >= 100, MINUTE);
    const startedAt = performance.now();
    const mover = site.startMover('--closed-for', '60'); // some more are open than the size says
    expect([await mover.ended, mover.said]).toEqual([0, expect.stringContaining('is open in cell 1')]);
    const movedSeconds = Math.round((performance.now() - startedAt) / 1000);
    const openAt = Date.now();
    await eventually(() => site.emitted.at(-1)!.at > openAt + MINUTE + SAMPLE_MS, 3 * MINUTE);
    await site.endLoad();
    const closedSeconds = Number(/took no events for ([\d.]+) s/.exec(mover.said)![1]);
    const lags = await site.lagsSince(openAt + MINUTE);
    process.stdout.write(mover.said);
    report('a large move', { ...sizes, movedSeconds, closedSeconds, events: lags.length, p99Ms: p99(lags) });
    expect([closedSeconds, p99(lags)]).toEqual([
      Math.min(closedSeconds, CLOSED_SECONDS_MAX),
      Math.min(p99(lags), LAG_MS_MAX),
    ]);
    const [count] = await site.two.cells[1].rows(
      `select (select count(*)::integer from hookwright.deliveries where tenant_id = $1 and status = 'HELD') as open,
            (select count(*)::integer from hookwright.scheduled_events where tenant_id = $1) as scheduled`,
      [site.tenantId],
    );
    expect(count).toEqual({ open: sizes.open, scheduled: sizes.scheduled });
  },
);
