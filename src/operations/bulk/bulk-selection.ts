import type pg from 'pg';
import { OPERATIONAL_EVENT_TYPES } from '../../domain/events/operational-events.js';
import type { BulkKind } from '../../entities/bulk-operation.js';
import { query, type Statement } from '../../platform/database/database.js';
import { ofEventSql } from '../explorer/page.js';
import { searchError } from '../explorer/search.js';

/** The rows of a bulk operation, as stored (`filter` in JSON). */
export interface BulkSelection {
  kind: `${BulkKind}`;
  /** Null: deliveries of all webhooks. */
  webhookId: number | null;
  filter: BulkFilter;
}

export interface BulkFilter {
  /** States of deliveries; HOLD_EXPIRED: canceled for that reason. */
  status?: readonly string[];
  eventTypes?: readonly string[] | null;
  /** Replays events too that have a delivery to the webhook. */
  includeDelivered?: boolean;
  /** Replays events too whose type the webhook does not subscribe to. */
  includeUnsubscribed?: boolean;
}

/** Ids strictly between. */
export interface BulkRange {
  above: number;
  below: number;
}

/** The most rows that a chunk reads, however few match. Events cost more: for each, its deliveries are searched. */
const DELIVERIES_LOOKED = 10_000;
const EVENTS_LOOKED = 2_000;
/** Counting ends here: a statement must not take for ever. */
const BULK_COUNT_MAX = 1_000_000;

const isOfEvents = ({ kind }: BulkSelection) => kind === 'REPLAY_EVENTS';
const leavesOutDelivered = (selection: BulkSelection) => isOfEvents(selection) && !selection.filter.includeDelivered;

/** SQL condition: this delivery's status is among those in the text[] `statuses`. */
export const hasStatusSql = (delivery: string, statuses: string) =>
  `(${delivery}.status::text = any(${statuses})
    or (${delivery}.cancel_reason = 'HOLD_EXPIRED' and 'HOLD_EXPIRED' = any(${statuses})))`;

/**
 * SQL query: `id`, and whether it is `wanted`, in the order of ids; $1 tenant, $2 and $3 the range, $4 webhook, $5
 * event types, $6 statuses. The tenant's condition is wrapped where there is a webhook, so that the webhook's index is
 * chosen.
 */
const lookAtDeliveriesSql = (ofWebhook: boolean, limit: number) => `
  select d.id, coalesce(($5::text[] is null or d.event_type = any($5)) and ${hasStatusSql('d', '$6::text[]')}, false) as wanted
  from hookwright.deliveries d
  where ${ofWebhook ? 'd.webhook_id = $4::bigint and (d.tenant_id = $1) is true' : 'd.tenant_id = $1 and $4::bigint is null'}
    and d.id > $2 and d.id < $3
  order by d.id limit ${limit}`;

/** SQL: the first id of the oldest day whose deliveries are kept. The receivers of earlier events are not known. */
const KEPT_FROM = `(
  select hookwright.id_at(min(right(c.relname, 8))::date::timestamp at time zone 'UTC')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'hookwright.deliveries'::regclass)`;

/** SQL: the webhook that an operational event is about, as text; null for any other event. */
const ABOUT_WEBHOOK = `
  case when e.event_type in (${OPERATIONAL_EVENT_TYPES.map((name) => `'${name}'`)}) then e.body::json->>'webhook_id' end`;

/** SQL query as above; $6: subscribed or not, by the present subscription. */
const lookAtEventsSql = (leavesOutDelivered: boolean, limit: number) => `
  select e.id, coalesce(e.only_webhook_id is null and ($5::text[] is null or e.event_type = any($5))
           and ($6::boolean or '*' = any(w.event_types) or e.event_type = any(w.event_types))
           and (${ABOUT_WEBHOOK}) is distinct from w.id::text, false) as wanted
  from hookwright.events e cross join (select id, event_types from hookwright.webhooks where id = $4 and tenant_id = $1) w
  where e.tenant_id = $1 and e.id > $2 and e.id < $3 ${leavesOutDelivered ? `and e.id >= ${KEPT_FROM}` : ''}
  order by e.id limit ${limit}`;

function lookSql(selection: BulkSelection, limit: number): string {
  return isOfEvents(selection)
    ? lookAtEventsSql(leavesOutDelivered(selection), limit)
    : lookAtDeliveriesSql(selection.webhookId !== null, limit);
}

function valuesOf({ webhookId, filter, ...selection }: BulkSelection, tenantId: number, range: BulkRange) {
  const last = selection.kind === 'REPLAY_EVENTS' ? (filter.includeUnsubscribed ?? false) : filter.status;
  return [tenantId, range.above, range.below, webhookId, filter.eventTypes ?? null, last];
}

/** Counts matching rows, up to a limit. @throws ApiError search_timed_out */
export async function countSelected(
  client: pg.PoolClient,
  tenantId: number,
  selection: BulkSelection,
  range: BulkRange,
): Promise<{ count: number; isCapped: boolean }> {
  // As a join, which reads the webhook's deliveries once.
  const undelivered = leavesOutDelivered(selection)
    ? `and not exists (select from hookwright.deliveries d where d.webhook_id = $4 and d.event_id = looked.id and d.id > $2)`
    : '';
  const text = `
    with looked as materialized (${lookSql(selection, BULK_COUNT_MAX)})
    select (select count(*) from looked where wanted ${undelivered}) as count, count(*) as looked from looked`;
  const values = valuesOf(selection, tenantId, range);
  try {
    const [row] = await query<{ count: number; looked: number }>(client, { text }, values);
    return { count: row?.count ?? 0, isCapped: (row?.looked ?? 0) >= BULK_COUNT_MAX };
  } catch (error) {
    throw searchError(
      error,
      'Counting what this is about took too long. Choose less at a time: a shorter time, with since and until, or one webhook.',
    );
  }
}

interface BulkChunk {
  /** Matching rows, in the order of ids. */
  ids: number[];
  /** All rows up to this id have been read; null: none is left. */
  lastId: number | null;
}

/** Selects the next matching rows: at most `limit`, fewer where hardly any match. */
export async function selectChunk(
  client: pg.PoolClient,
  tenantId: number,
  selection: BulkSelection,
  range: BulkRange,
  limit: number,
): Promise<BulkChunk> {
  const looked = isOfEvents(selection) ? EVENTS_LOOKED : DELIVERIES_LOOKED;
  // A scalar subquery with the webhook wrapped, so that deliveries are found by the event.
  const undelivered = leavesOutDelivered(selection)
    ? `and (select true from hookwright.deliveries d
            where ${ofEventSql('d', 'looked.id')} and (d.webhook_id = $4) is true
            limit 1) is null`
    : '';
  // Stops at the last wanted row, and reads on only to find that there are no more.
  const look = `(${lookSql(selection, looked)}) looked`;
  const statement: Statement = {
    name: `bulk_select_${selection.kind}_${selection.webhookId !== null}_${undelivered !== ''}`.toLowerCase(),
    text: `
      with chosen as materialized (select id from ${look} where wanted ${undelivered} order by id limit $7)
      select array(select id::float8 from chosen order by id) as ids,
             case when (select count(*) from chosen) < $7
                  then (select array[count(*), max(id)]::float8[] from ${look}) end as end_of_look`,
  };
  const [row] = await query<{ ids: number[]; end_of_look: [count: number, lastId: number | null] | null }>(
    client,
    statement,
    [...valuesOf(selection, tenantId, range), limit],
  );
  const { ids, end_of_look: end } = row!;
  if (end === null) {
    return { ids, lastId: ids.at(-1) ?? null };
  }
  const [count, lastId] = end;
  return { ids, lastId: count < looked ? null : lastId };
}
