import type pg from 'pg';
import { compileFilter } from '../../domain/content/compile-filter.js';
import { OPERATIONAL_EVENT_TYPES } from '../../domain/events/operational-events.js';
import { CELL_WINDOW_MS_MAX } from '../../domain/ids/cell.js';
import { IDS_PER_MS } from '../../domain/ids/delivery-id.js';
import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { query, type Statement } from '../../platform/database/database.js';
import { ofEventSql } from '../explorer/page.js';
import { passesSql } from '../explorer/passes-filter.js';
import { searchError } from '../explorer/search.js';
import { type BulkRange, type BulkSelection, isOfEvents } from './bulk-filter.js';
import { type Look, lookAtDeliveries } from './look-at-deliveries.js';

/** The most rows that a chunk reads, however few match. Events cost more: for each, its deliveries are searched. */
const DELIVERIES_LOOKED = 10_000;
const EVENTS_LOOKED = 2_000;
/** Deliveries whose events are searched for a text. */
const PAYLOADS_LOOKED = 1_000;
/** Counting ends here: a statement must not take for ever. */
const BULK_COUNT_MAX = 1_000_000;

/** With cells a delivery may have a lower id than its event, by at most as much. */
const WINDOW_IDS = CELL_WINDOW_MS_MAX * IDS_PER_MS;

const leavesOutDelivered = ({ kind, filter }: BulkSelection) => kind === 'REPLAY_EVENTS' && !filter.includeDelivered;

/** SQL: the first id of the oldest day whose deliveries are kept. The receivers of earlier events are not known. */
const KEPT_FROM = `(
  select hookwright.id_at(min(right(c.relname, 8))::date::timestamp at time zone 'UTC')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'hookwright.deliveries'::regclass)`;

const IS_OPERATIONAL = `e.event_type in (${OPERATIONAL_EVENT_TYPES.map((name) => `'${name}'`)})`;
/** SQL: the webhook that an operational event is about, as text; null for any other event. */
const ABOUT_WEBHOOK = `case when ${IS_OPERATIONAL} then e.body::json->>'webhook_id' end`;

/** SQL: the path of an event's delivery to a webhook that takes paths. */
const PATH_BEFORE = `(
  select d.path from hookwright.deliveries d
  where ${ofEventSql('d', 'e.id')} and (d.webhook_id = w.id) is true and d.path is not null limit 1)`;

/**
 * SQL query as in `Look`; $1 tenant, $2 and $3 the range, $4 limit, $5 webhook, $6 event types, $7 subscribed or not,
 * by the present subscription; $8 whether its filter lets it through or not.
 */
const lookAtEventsSql = (leavesOutDelivered: boolean) => `
  select e.id, coalesce(e.erased_at is null and e.only_webhook_id is null and ($6::text[] is null or e.event_type = any($6))
           and ($7::boolean or '*' = any(w.event_types) or e.event_type = any(w.event_types))
           and (${ABOUT_WEBHOOK}) is distinct from w.id::text
           and (e.targets is null or w.id = any(e.targets))
           and case when w.callback then ${PATH_BEFORE} is not null else true end
           and case when $8::boolean or w.filter_path is null
                         or (${IS_OPERATIONAL} and e.tenant_id <> ${INSTALLATION_TENANT}) then true
                    else ${passesSql('e', 'w.filter_path', 'w.filter_comparisons', 'w.filter_changes')} end,
           false) as wanted, false as left_out
  from hookwright.events e
  cross join (select w.id, w.event_types, o.filter_path, o.filter_comparisons, o.filter_changes, o.callback
              from hookwright.webhooks w left join hookwright.webhook_options o on o.webhook_id = w.id
              where w.id = $5 and w.tenant_id = $1) w
  where e.tenant_id = $1 and e.id > $2 and e.id < $3 ${leavesOutDelivered ? `and e.id >= ${KEPT_FROM}` : ''}
  order by e.id limit $4`;

/** SQL query as in `Look`; $1 tenant, $2 and $3 the range, $4 limit, $5 event types, $6 the condition. */
const lookAtErasableSql = `
  select e.id, e.erased_at is null and ($5::text[] is null or e.event_type = any($5))
           and hookwright.is_to_erase(e.body, $6::text::jsonpath, e.event_type) as wanted, false as left_out
  from hookwright.events e where e.tenant_id = $1 and e.id > $2 and e.id < $3 order by e.id limit $4`;

function lookAt(selection: BulkSelection, tenantId: number, range: BulkRange, limit: number): Look {
  const { webhookId, filter } = selection;
  if (!isOfEvents(selection)) {
    return lookAtDeliveries(selection, tenantId, range, limit);
  }
  const look = [tenantId, range.above, range.below, limit];
  if (selection.kind === 'ERASE_EVENTS') {
    const { eventTypes = null, field = null } = filter;
    return {
      text: lookAtErasableSql,
      values: [...look, eventTypes, field && compileFilter({ field })],
      form: 'all',
    };
  }
  const isWithoutDelivered = leavesOutDelivered(selection);
  return {
    text: lookAtEventsSql(isWithoutDelivered),
    values: [
      ...look,
      webhookId,
      filter.eventTypes ?? null,
      filter.includeUnsubscribed ?? false,
      filter.includeFiltered ?? false,
    ],
    form: String(isWithoutDelivered),
  };
}

interface BulkCount {
  count: number;
  /** The number of matching ones that are left out because their webhook is inactive or deleted. */
  leftOut: number;
  isCapped: boolean;
}

/** Counts matching rows, up to a limit. @throws ApiError search_timed_out */
export async function countSelected(
  client: pg.PoolClient,
  tenantId: number,
  selection: BulkSelection,
  range: BulkRange,
): Promise<BulkCount> {
  const look = lookAt(selection, tenantId, range, BULK_COUNT_MAX);
  // As a join, which reads the webhook's deliveries once.
  const undelivered = leavesOutDelivered(selection)
    ? `and not exists (select from hookwright.deliveries d where d.webhook_id = $5 and d.event_id = looked.id and d.id > $2::bigint - ${WINDOW_IDS})`
    : '';
  const text = `
    with looked as materialized (${look.text})
    select (select count(*) from looked where wanted ${undelivered}) as count,
           (select count(*) from looked where left_out) as "leftOut", count(*) as looked from looked`;
  try {
    const [row] = await query<Omit<BulkCount, 'isCapped'> & { looked: number }>(client, { text }, look.values);
    const { count, leftOut, looked } = row!;
    return { count, leftOut, isCapped: looked >= BULK_COUNT_MAX };
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
  const looked = isOfEvents(selection)
    ? EVENTS_LOOKED
    : selection.filter.payloadContains === undefined
      ? DELIVERIES_LOOKED
      : PAYLOADS_LOOKED;
  const { text, values, form } = lookAt(selection, tenantId, range, looked);
  // A scalar subquery with the webhook wrapped, so that deliveries are found by the event.
  const undelivered = leavesOutDelivered(selection)
    ? `and (select true from hookwright.deliveries d
            where ${ofEventSql('d', 'looked.id')} and (d.webhook_id = $5) is true
            limit 1) is null`
    : '';
  // Stops at the last wanted row, and reads on only to find that there are no more.
  const look = `(${text}) looked`;
  const limitAt = `$${values.length + 1}`;
  const statement: Statement = {
    ...(form === null ? {} : { name: `bulk_select_${selection.kind}_${form}`.toLowerCase() }),
    text: `
      with chosen as materialized (select id from ${look} where wanted ${undelivered} order by id limit ${limitAt})
      select array(select id::float8 from chosen order by id) as ids,
             case when (select count(*) from chosen) < ${limitAt}
                  then (select array[count(*), max(id)]::float8[] from ${look}) end as end_of_look`,
  };
  const [row] = await query<{ ids: number[]; end_of_look: [count: number, lastId: number | null] | null }>(
    client,
    statement,
    [...values, limit],
  );
  const { ids, end_of_look: end } = row!;
  if (end === null) {
    return { ids, lastId: ids.at(-1) ?? null };
  }
  const [count, lastId] = end;
  return { ids, lastId: count < looked ? null : lastId };
}
