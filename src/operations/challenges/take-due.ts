import type pg from 'pg';
import { ASKS_MAX, HOST_ASKS_MAX, LEASE_MS, PLACE_MS, TENANT_ASKS_MAX } from '../../domain/challenges/ask-times.js';
import { query, type Statement } from '../../platform/database/database.js';
import { selectToSend, type WebhookToSend } from '../attempts/webhook-to-send.js';
import { staysSql } from '../cells/moving.js';

/** A webhook whose endpoint is to be asked now, as it stood when this daemon took the ask. */
export interface Asked extends WebhookToSend {
  tenantId: number;
  webhookId: number;
  /** The number that stands for a delivery's id. */
  id: number;
  /** The secret before the last rotation, sealed; null when its overlap was over. */
  previousSecret: Buffer | null;
  /** The number of this ask. */
  turn: number;
  /** How many there were, this one included. */
  asks: number;
}

const afterMs = (ms: number) => `${ms} * interval '1 millisecond'`;

/** SQL: whether a host's row `h` has no place. Each of the last asks has one until its time is over. */
const isFullSql = (now: string) =>
  `cardinality(h.asked_at) >= ${HOST_ASKS_MAX} and h.asked_at[1] > ${now} - ${afterMs(PLACE_MS)}`;

/** SQL: whether endpoints are to be asked (Duty.worthIt). */
export const worthAskingSql = '(exists (select from hookwright.verifications where next_at <= now()))';

/**
 * Webhooks of full hosts are passed over: thousands of them would keep other hosts waiting. Tenants take turns,
 * each up to its share: what one has under way counts before what it waits for. Only rows that are still due once they
 * are locked are taken.
 */
const takeStatement: Statement = {
  name: 'take_due_asks',
  text: `
    with waiting as (
      select v.webhook_id, v.next_at, coalesce(busy.asks, 0) + row_number() over (
               partition by v.tenant_id order by v.next_at) as nth
      from hookwright.verifications v
      left join unnest($2::bigint[], $3::integer[]) as busy (tenant_id, asks) on busy.tenant_id = v.tenant_id
      where v.next_at <= now() and ${staysSql('v.tenant_id')}
        and not exists (select from hookwright.challenge_hosts h where h.host = v.host and ${isFullSql('now()')})),
    next as materialized (
      select webhook_id, nth from waiting where nth <= ${TENANT_ASKS_MAX} order by nth, next_at limit $1),
    due as materialized (
      select v.webhook_id, w.deleted_at is null and v.status <> 'VERIFIED' as wanted,
             v.asks >= ${ASKS_MAX} as over
      from next join hookwright.verifications v using (webhook_id) join hookwright.webhooks w on w.id = v.webhook_id
      where v.next_at <= now()
      for update of v skip locked),
    taken as (
      update hookwright.verifications v
      set turn = v.turn + 1, asks = v.asks + (wanted and not over)::integer,
          next_at = case when wanted and not over then now() + ${afterMs(LEASE_MS)} end,
          status = case when wanted and over then 'FAILED' else v.status end
      from due where v.webhook_id = due.webhook_id
      returning v.webhook_id, v.turn, v.asks, v.next_at is not null as is_asked)
    select w.tenant_id as "tenantId", w.id as "webhookId", hookwright.next_id()::float8 as id, taken.turn, taken.asks,
           case when w.previous_secret_expires_at > now() then w.previous_sealed_secret end as "previousSecret",
           ${selectToSend('w')}
    from taken join hookwright.webhooks w on w.id = taken.webhook_id
    where taken.is_asked`,
};

/**
 * Takes asks that are due, for this daemon alone: another one may take them when LEASE_MS is over. One that nobody has
 * recorded counts, so that an answer which ends its process is not asked for again and again.
 *
 * @param underWay the asks of each tenant that this daemon makes already
 */
export const takeDueAsks = (
  pool: pg.Pool,
  max: number,
  underWay: ReadonlyMap<number, number> = new Map(),
): Promise<Asked[]> => query<Asked>(pool, takeStatement, [max, [...underWay.keys()], [...underWay.values()]]);

/** The row of a host is locked by one at a time, whatever daemon it is. */
const placeStatement: Statement = {
  text: `
    insert into hookwright.challenge_hosts as h (host, asked_at, last_at)
    values ($1, array[clock_timestamp()], clock_timestamp())
    on conflict (host) do update
    set asked_at = (h.asked_at || clock_timestamp())[greatest(1, cardinality(h.asked_at) + 2 - ${HOST_ASKS_MAX}):],
        last_at = clock_timestamp()
    where not (${isFullSql('clock_timestamp()')})
    returning true`,
};

/** Takes a place for an ask of a host. @returns false: it is asked often enough for now */
export async function takePlace(pool: pg.Pool, host: string): Promise<boolean> {
  return (await query(pool, placeStatement, [host])).length > 0;
}

const giveBackStatement: Statement = {
  text: `
    update hookwright.verifications set asks = asks - 1, next_at = now() + $3 * interval '1 millisecond'
    where webhook_id = $1 and turn = $2 and status <> 'VERIFIED'`,
};

/** Gives back an ask that was not made: it does not count. */
export async function giveBackAsk(pool: pg.Pool, { webhookId, turn }: Asked, inMs: number): Promise<void> {
  await query(pool, giveBackStatement, [webhookId, turn, inMs]);
}

const isStillAskedStatement: Statement = {
  text: `
    select true from hookwright.verifications v join hookwright.webhooks w on w.id = v.webhook_id
    where v.webhook_id = $1 and v.turn = $2 and v.status <> 'VERIFIED' and w.deleted_at is null and not w.moving
      and w.url = $3 and w.options_version is not distinct from $4`,
};

/** Whether an endpoint is to be asked as it was when the ask was taken. */
export const isStillAsked = async (pool: pg.Pool, { webhookId, turn, url, optionsVersion }: Asked): Promise<boolean> =>
  (await query(pool, isStillAskedStatement, [webhookId, turn, url, optionsVersion])).length > 0;
