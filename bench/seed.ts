import { LANES } from '../src/domain/pacing/lanes.js';
import type { BenchDatabase } from './database.js';
import { payloadAt } from './payload.js';

/** Retries to put into the tables. */
interface Retries {
  webhookId: number;
  eventType: string;
  deliveries: number;
  /** Deliveries of one event; more of them are faster to make. */
  perEvent: number;
  /** They are due evenly over this time from now on, in seconds. Both 0: all are due at once. */
  dueFrom: number;
  dueUntil: number;
}

const DELIVERIES_PER_STATEMENT = 10_000;
/** One session for each connection of the bench. */
const SESSIONS = 2;

/**
 * Puts retries into the tables, as they are after a first attempt that failed: pending, with their jobs, which the
 * product's own function adds. Only the rows of the attempts that failed are missing, which nobody reads on the way.
 *
 * @returns the seconds that it took
 */
export async function seedRetries({ pool }: BenchDatabase, retries: Retries): Promise<number> {
  const { webhookId, eventType, deliveries, perEvent, dueFrom, dueUntil } = retries;
  const body = JSON.stringify(payloadAt(0));
  const startedAt = performance.now();
  let left = deliveries;
  const fill = async () => {
    const client = await pool.connect();
    try {
      await client.query('set synchronous_commit = off'); // of this session alone, which nobody measures
      while (left > 0) {
        const count = Math.min(DELIVERIES_PER_STATEMENT, left);
        left -= count;
        const events = Math.ceil(count / perEvent);
        const lane = LANES.RETRY.priority;
        await client.query(seedSql, [
          ...[webhookId, eventType, body],
          ...[events, perEvent, count, dueFrom, dueUntil, lane],
        ]);
      }
    } finally {
      client.release(true);
    }
  };
  await Promise.all(Array.from({ length: SESSIONS }, fill));
  await pool.query('vacuum analyze');
  return (performance.now() - startedAt) / 1000;
}

const seedSql = `
  with webhook as (select id, tenant_id from hookwright.webhooks where id = $1),
  emitted as (
    insert into hookwright.events (id, tenant_id, event_type, body)
    select hookwright.next_id(), webhook.tenant_id, $2, $3 from webhook, generate_series(1, $4::integer)
    returning id, tenant_id),
  failed as (
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at,
                                       last_status_code)
    select hookwright.next_id(), e.tenant_id, e.id, $1, $2, 'PENDING', 1,
           now() + ($7 + random() * ($8::float8 - $7::float8)) * interval '1 second', 503
    from emitted e, generate_series(1, $5::integer) limit $6::integer
    returning id, due_at)
  select hookwright.enqueue_deliveries(array_agg(id order by id), array_agg(2), array_agg(due_at order by id),
                                       array_agg($9::integer))
  from failed`;

/** Deliveries that have failed for good, each of an event of its own. */
interface Failed {
  webhookId: number;
  eventType: string;
  deliveries: number;
}

/**
 * Puts failed deliveries into the tables, as they are after six attempts. The rows of the attempts are missing, which
 * nobody reads on the way.
 *
 * @returns the seconds that it took
 */
export async function seedFailed(
  { pool }: BenchDatabase,
  { webhookId, eventType, deliveries }: Failed,
): Promise<number> {
  const body = JSON.stringify(payloadAt(0));
  const startedAt = performance.now();
  for (let left = deliveries; left > 0; left -= DELIVERIES_PER_STATEMENT) {
    const count = Math.min(DELIVERIES_PER_STATEMENT, left);
    await pool.query(seedFailedSql, [webhookId, eventType, body, count]);
  }
  await pool.query('vacuum analyze');
  return (performance.now() - startedAt) / 1000;
}

const seedFailedSql = `
  with webhook as (select id, tenant_id from hookwright.webhooks where id = $1),
  emitted as (
    insert into hookwright.events (id, tenant_id, event_type, body)
    select hookwright.next_id(), webhook.tenant_id, $2, $3 from webhook, generate_series(1, $4::integer)
    returning id, tenant_id)
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count,
                                     finished_at, last_status_code)
  select hookwright.next_id(), e.tenant_id, e.id, $1, $2, 'FAILED', 6, now(), 503 from emitted e`;
