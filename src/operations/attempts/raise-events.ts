import type pg from 'pg';
import { OPERATIONAL_EVENT_TYPES, type OperationalEventType } from '../../domain/events/operational-events.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { query, type Statement, transaction } from '../../platform/database/database.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { type Cursor, heldSql } from '../deliveries/rescue-deliveries.js';

/** Something that the owner of a webhook should hear of, before it is an event. */
export interface OperationalEvent {
  tenantId: number;
  /** The webhook that it is about, which is never sent it. */
  webhookId: number;
  type: OperationalEventType;
  /** The payload's fields except `count`. */
  facts: Record<string, string>;
  /** How often it happened. */
  count: number;
}

/** SQL: whether operational events are due (Duty.worthIt). */
export const worthRaisingSql = `(
  exists (select from hookwright.raised_events where pending > 0)
  or exists (select from hookwright.webhooks
             where hold_until > now() and hold_until <= now() + interval '24 hours'
               and hold_warned_until is distinct from hold_until and not active and deleted_at is null))`;

const raised = new RowsParameter<OperationalEvent>({
  tenant_id: column.bigint(({ tenantId }) => tenantId),
  webhook_id: column.bigint(({ webhookId }) => webhookId),
  event_type: column.text(({ type }) => type),
  pending_body: column.text(({ facts }) => JSON.stringify(facts)),
  pending: column.integer(({ count }) => count),
});

const raiseStatement: Statement = {
  name: 'raise_events',
  text: `select hookwright.raise_events(${raised.arrays})`,
};

const countStatement: Statement = {
  name: 'count_events',
  text: `
    insert into hookwright.raised_events as r (${raised.names})
    select * from ${raised.as('raised')}
    on conflict (webhook_id, event_type) do update
      set tenant_id = excluded.tenant_id, pending = r.pending + excluded.pending, pending_body = excluded.pending_body`,
};

/** Each event goes to all other webhooks of its tenant: of hundreds at once, all outcomes would have to wait. */
const RAISED_AT_ONCE = 10;

/**
 * Raises operational events in the transaction of what caused them, at most one a minute for each webhook and type.
 * What happens in between is counted for the next one (`raisePending` at the latest), and so is what one transaction
 * causes beyond the first few.
 *
 * @param events at most one per webhook and type
 */
export async function raiseEvents(client: pg.PoolClient, events: readonly OperationalEvent[]): Promise<void> {
  // The function locks in this order too, so that no two transactions wait for each other.
  const inOrder = events.toSorted((a, b) => a.webhookId - b.webhookId || (a.type < b.type ? -1 : 1));
  const run = async (statement: Statement, some: readonly OperationalEvent[]) => {
    if (some.length > 0) {
      await query(client, statement, raised.values(some));
    }
  };
  await Promise.all([
    run(raiseStatement, inOrder.slice(0, RAISED_AT_ONCE)),
    run(countStatement, inOrder.slice(RAISED_AT_ONCE)),
  ]);
}

/** The part of a url that others may see: its path and query often hold the very secret that lets one post there. */
export const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

/** Each chunk is a transaction: meanwhile outcomes of these webhooks may have to wait. */
const CHUNK_EVENTS = 10;
/** The next sweep goes on, so that the other sweeps are not late. */
const SWEEP_EVENTS = 1_000;

/** Raises the events that `raiseEvents` only counted. @returns how many */
export async function raisePending(pool: pg.Pool): Promise<number> {
  const statement = { name: 'raise_pending', text: `select hookwright.raise_pending(${CHUNK_EVENTS}) as raised` };
  const raiseChunk = async () => {
    const [row] = await query<{ raised: number }>(pool, statement, []);
    return row?.raised ?? 0;
  };
  return await inChunks(CHUNK_EVENTS, raiseChunk, SWEEP_EVENTS);
}

/** Thousands of webhooks whose holds end soon may hold nothing, so one call looks at a part of them. */
const PART_WEBHOOKS = 30;
/** The next sweep goes on, so that the other sweeps are not late. */
const SWEEP_WEBHOOKS = 300;
/** Counting tens of millions of held deliveries would take longer than a statement may. */
const HELD_COUNT_MAX = 100_000;

/** SQL condition: an inactive webhook's held deliveries are canceled within 24 hours, or half of a shorter hold. */
export const isHoldEndingSql = (webhook: string) => `
  ${webhook}.hold_until > now()
  and ${webhook}.hold_until <= now() + interval '24 hours'
  and ${webhook}.hold_until <= now() + least(interval '24 hours', (${webhook}.hold_until - ${webhook}.disabled_at) / 2)`;

/** The condition of 24 hours also stands alone, for the index. */
const endingStatement: Statement = {
  text: `
    select id, hold_until::text as "holdUntil" from hookwright.webhooks w
    where ${isHoldEndingSql('w')} and (hold_until, id) > ($1::timestamptz, $2::bigint)
      and hold_warned_until is distinct from hold_until and not active and deleted_at is null and not moving
    order by hold_until, id limit ${PART_WEBHOOKS}`,
};

/** Held deliveries of operational events alone are not worth another one. */
const expiringStatement: Statement = {
  text: `
    select w.id, w.tenant_id, w.url, w.hold_until,
           (select count(*)::integer from (${heldSql('d.webhook_id = w.id')} limit ${HELD_COUNT_MAX}) as counted) as held
    from hookwright.webhooks w
    where w.id = any($1::bigint[]) and ${isHoldEndingSql('w')} and not w.active and w.deleted_at is null and not w.moving
      and exists (${heldSql('d.webhook_id = w.id and d.event_type <> all($2::text[])')})
    order by w.id for update of w skip locked`,
};

interface ExpiringRow {
  id: number;
  tenant_id: number;
  url: string;
  hold_until: Date;
  held: number;
}

interface EndingRow {
  id: number;
  /** A text: a Date would lose the microseconds. */
  holdUntil: string;
}

/**
 * Raises `webhook.held_expiring` for inactive webhooks whose held deliveries will be canceled within 24 hours, or when
 * half of a shorter hold is over; once for each hold. It goes on at once while it finds any.
 *
 * @param cursor the last webhook that was examined
 * @returns how many webhooks that were
 */
export async function warnOfExpiringHolds(pool: pg.Pool, cursor: Cursor<EndingRow> = {}): Promise<number> {
  let total = 0;
  for (let warned = 1; warned > 0 && total < SWEEP_WEBHOOKS; total += warned) {
    const { holdUntil, id } = cursor.after ?? { holdUntil: '-infinity', id: 0 };
    const ending = await query<EndingRow>(pool, endingStatement, [holdUntil, id]);
    cursor.after = ending.length < PART_WEBHOOKS ? undefined : ending.at(-1);
    warned = ending.length === 0 ? 0 : await warnOf(pool, ending);
  }
  return total;
}

async function warnOf(pool: pg.Pool, ending: readonly EndingRow[]): Promise<number> {
  return await transaction(pool, async (client, withCommit) => {
    const ids = ending.map(({ id }) => id);
    const expiring = await query<ExpiringRow>(client, expiringStatement, [ids, [...OPERATIONAL_EVENT_TYPES]]);
    if (expiring.length === 0) {
      return 0;
    }
    const warned = 'update hookwright.webhooks set hold_warned_until = hold_until where id = any($1::bigint[])';
    withCommit(query(client, { text: warned }, [expiring.map(({ id }) => id)]));
    const events = expiring.map(({ id, tenant_id, url, hold_until, held }): OperationalEvent => {
      const facts = {
        webhook_id: String(id),
        origin: originOf(url),
        held_count: String(held),
        expires_at: formatTimestamp(hold_until),
      };
      return { tenantId: tenant_id, webhookId: id, type: 'webhook.held_expiring', facts, count: 1 };
    });
    withCommit(raiseEvents(client, events));
    return expiring.length;
  });
}
