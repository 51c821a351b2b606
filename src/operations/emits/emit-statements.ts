import type pg from 'pg';
import type { Emit, EmitRefusal, EmitResult, EmitTarget } from '../../domain/events/emit.js';
import { query, type Statement } from '../../platform/database/database.js';
import { type Column, column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { type ClaimedJson, claimedJobs } from './claimed-jobs.js';
import type { Claim } from './local-daemon.js';

/** An item with the lane of its deliveries. */
export interface EmitItem extends Emit {
  priority: number;
}

/** In the order of the functions' parameters. */
const itemColumns: Readonly<Record<string, Column<EmitItem>>> = {
  tenant_ids: column.bigint(({ tenantId }) => tenantId),
  event_types: column.text(({ eventType }) => eventType),
  bodies: column.text(({ body }) => body),
  idempotency_keys: column.text(({ idempotencyKey }) => idempotencyKey),
  only_webhook_ids: column.bigint(({ onlyWebhookId }) => onlyWebhookId),
  priorities: column.integer(({ priority }) => priority),
};
const ordering_keys = column.text(({ orderingKey }: EmitItem) => orderingKey);
const plainItems = new RowsParameter(itemColumns);
/** The statement's first parameters are the claiming pool, the priority and the number of deliveries. */
const claimedItems = new RowsParameter(itemColumns, { after: 3 });
/** The same for items of which some have ordering keys, as the last column. */
const claimedOrderedItems = new RowsParameter({ ...itemColumns, ordering_keys }, { after: 3 });

/** The same for items of which some have a version with a converter. */
const type_versions = column.integer(({ typeVersion }: EmitItem) => typeVersion);
const claimedVersionedItems = new RowsParameter({ ...itemColumns, ordering_keys, type_versions }, { after: 3 });

/** All that items can have, but for their targets: those are the parameter before. */
const fullItems = new RowsParameter(
  {
    ...itemColumns,
    ordering_keys,
    type_versions,
    traceparents: column.text(({ traceparent }: EmitItem) => traceparent),
    keep_hours: column.integer(({ keepHours }: EmitItem) => keepHours),
    previous: column.text(({ previous }: EmitItem) => previous),
  },
  { after: 1 },
);

/** SQL: a column that counts as missing where all of it is null, so that others do not pay for it. */
const fullColumn = (name: string): string =>
  `case when num_nonnulls(variadic ${fullItems.array(name)}) > 0 then ${fullItems.array(name)} end`;

/** One row per item, in their order. */
type EmitRow =
  | { error_code: null; event_id: number; delivery_count: number; duplicate: boolean }
  | { error_code: EmitRefusal; error_detail?: string | null };

const plainStatement: Statement = {
  name: 'emit_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_events(${plainItems.arrays}, true) order by item`,
};

const moreColumns = ['ordering_keys', 'type_versions', 'traceparents', 'keep_hours', 'previous'].map(fullColumn);

/** The statement of batches in which an item has more than others. A column that no item has is null. */
const fullStatement: Statement = {
  name: 'emit_full_events',
  text: `select event_id, delivery_count, duplicate, error_code, error_detail
         from hookwright.emit_events(
           ${Object.keys(itemColumns).map((name) => fullItems.array(name))}, true, ${moreColumns}, $1::jsonb)
         order by item`,
};

/** Without the repetitions of `emit_events`, which the caller uses when it fails. */
const claimedStatement: Statement = {
  name: 'emit_claimed_events',
  text: `select event_id, delivery_count, duplicate, error_code, claimed
         from hookwright.emit_events_once(${claimedItems.arrays}, null, $1, $2, $3) order by item`,
};

const claimedOrderedStatement: Statement = {
  name: 'emit_claimed_ordered_events',
  text: `select event_id, delivery_count, duplicate, error_code, claimed
         from hookwright.emit_events_once(${claimedItems.arrays}, null, $1, $2, $3,
           ${claimedOrderedItems.array('ordering_keys')})
         order by item`,
};

const claimedVersionedStatement: Statement = {
  name: 'emit_claimed_versioned_events',
  text: `select event_id, delivery_count, duplicate, error_code, claimed
         from hookwright.emit_events_once(${claimedItems.arrays}, null, $1, $2, $3,
           ${claimedVersionedItems.array('ordering_keys')}, ${claimedVersionedItems.array('type_versions')})
         order by item`,
};

/** These for one item that is for all subscribers. */
const loneStatement: Statement = {
  name: 'emit_lone_event',
  text: `select event_id, delivery_count, duplicate, error_code, claimed
         from hookwright.emit_lone_event($4, $5, $6, $7, $1, $2, $3, $8, $9, $10)`,
};

const isLone = (items: readonly EmitItem[]): boolean => items.length === 1 && items[0]!.onlyWebhookId === null;

const isOrdered = ({ orderingKey }: Emit): boolean => typeof orderingKey === 'string';

const loneValues = ({
  tenantId,
  eventType,
  body,
  priority,
  idempotencyKey,
  orderingKey = null,
  typeVersion,
}: EmitItem) => [tenantId, eventType, body, priority, idempotencyKey, orderingKey, typeVersion ?? null];

const isVersioned = ({ typeVersion }: Emit): boolean => typeof typeVersion === 'number';

/** Whether the statements that claim write all of an item. */
export const isClaimable = ({ traceparent, keepHours, previous, to }: Emit): boolean =>
  traceparent == null && keepHours == null && previous == null && to == null;

/** Writes the items with their deliveries and jobs. @returns the result of each */
export async function writeItems(on: pg.Pool | pg.PoolClient, items: readonly EmitItem[]): Promise<EmitResult[]> {
  const isPlain = items.every((item) => isClaimable(item) && !isOrdered(item) && !isVersioned(item));
  const rows = isPlain
    ? await query<EmitRow>(on, plainStatement, plainItems.values(items))
    : await query<EmitRow>(on, fullStatement, [targetsOf(items), ...fullItems.values(items)]);
  return rows.map(toResult);
}

/** The targets of each item, as `hookwright.judge_targets` reads them; null: none has any. */
const targetsOf = (items: readonly EmitItem[]): string | null =>
  items.some(({ to }) => to != null) ? JSON.stringify(items.map(({ to }) => to?.map(writtenTarget) ?? null)) : null;

/** A target as SQL reads it. */
export const writtenTarget = ({ webhookId, externalId, path }: EmitTarget): object => ({
  webhook_id: webhookId,
  external_id: externalId,
  path,
});

function claimedForm(items: readonly EmitItem[]): [Statement, unknown[]] {
  if (items.some(isVersioned)) {
    return [claimedVersionedStatement, claimedVersionedItems.values(items)];
  }
  return items.some(isOrdered)
    ? [claimedOrderedStatement, claimedOrderedItems.values(items)]
    : [claimedStatement, claimedItems.values(items)];
}

/** Writes claimable items, and claims their deliveries if there is room for them. */
export async function writeClaimedItems(
  { pool, workerPoolId, priorityMax, deliveriesMax, begin }: Claim,
  items: readonly EmitItem[],
): Promise<EmitResult[]> {
  const atMs = performance.now();
  const [statement, values] = isLone(items) ? [loneStatement, loneValues(items[0]!)] : claimedForm(items);
  const rows = await query<EmitRow & { claimed: ClaimedJson | null }>(pool, statement, [
    workerPoolId,
    priorityMax,
    deliveriesMax,
    ...values,
  ]);
  const claimed = rows[0]?.claimed ?? null; // for all of the items
  if (claimed !== null) {
    begin(claimedJobs(claimed, items, atMs));
  }
  return rows.map(toResult);
}

const toResult = (row: EmitRow): EmitResult =>
  row.error_code === null
    ? { refused: null, eventId: row.event_id, deliveryCount: row.delivery_count, duplicate: row.duplicate }
    : row.error_detail == null
      ? { refused: row.error_code }
      : { refused: row.error_code, detail: row.error_detail };
