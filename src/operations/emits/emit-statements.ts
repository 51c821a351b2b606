import type pg from 'pg';
import type { Emit, EmitRefusal, EmitResult } from '../../domain/events/emit.js';
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
const traceparents = column.text(({ traceparent }: EmitItem) => traceparent);
const plainItems = new RowsParameter(itemColumns);
const tracedItems = new RowsParameter({ ...itemColumns, traceparents });
/** The statement's first parameters are the claiming pool, the priority and the number of deliveries. */
const claimedItems = new RowsParameter(itemColumns, { after: 3 });

/** The same for items of which some have ordering keys, as the last column. */
const ordering_keys = column.text(({ orderingKey }: EmitItem) => orderingKey);
const orderedItems = new RowsParameter({ ...itemColumns, ordering_keys });
const tracedOrderedItems = new RowsParameter({ ...itemColumns, traceparents, ordering_keys });
const claimedOrderedItems = new RowsParameter({ ...itemColumns, ordering_keys }, { after: 3 });

/** The same for items of which some have a version with a converter. */
const type_versions = column.integer(({ typeVersion }: EmitItem) => typeVersion);
const claimedVersionedItems = new RowsParameter({ ...itemColumns, ordering_keys, type_versions }, { after: 3 });

/** All that items may have: some of them are kept for some hours only, or have such a version. */
const keptItems = new RowsParameter({
  ...itemColumns,
  traceparents,
  ordering_keys,
  keep_hours: column.integer(({ keepHours }: EmitItem) => keepHours),
  type_versions,
});

/** One row per item, in their order. */
type EmitRow =
  | { error_code: null; event_id: number; delivery_count: number; duplicate: boolean }
  | { error_code: EmitRefusal };

const plainStatement: Statement = {
  name: 'emit_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_events(${plainItems.arrays}, true) order by item`,
};

const tracedStatement: Statement = {
  name: 'emit_traced_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_traced_events(${tracedItems.arrays}) order by item`,
};

const orderedStatement: Statement = {
  name: 'emit_ordered_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_events(${plainItems.arrays}, true, ${orderedItems.array('ordering_keys')})
         order by item`,
};

const tracedOrderedStatement: Statement = {
  name: 'emit_traced_ordered_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_traced_events(${tracedOrderedItems.arrays}) order by item`,
};

const keptStatement: Statement = {
  name: 'emit_kept_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_kept_events(${keptItems.arrays}) order by item`,
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

const isTraced = ({ traceparent }: Emit): boolean => typeof traceparent === 'string';

const isKept = ({ keepHours }: Emit): boolean => typeof keepHours === 'number';

const isVersioned = ({ typeVersion }: Emit): boolean => typeof typeVersion === 'number';

/** Whether the statements that claim write all of an item. */
export const isClaimable = (item: Emit): boolean => !isTraced(item) && !isKept(item);

function formOf(items: readonly EmitItem[]): [Statement, RowsParameter<EmitItem>] {
  if (items.some(isKept) || items.some(isVersioned)) {
    return [keptStatement, keptItems];
  }
  const isSomeOrdered = items.some(isOrdered);
  if (items.some(isTraced)) {
    return isSomeOrdered ? [tracedOrderedStatement, tracedOrderedItems] : [tracedStatement, tracedItems];
  }
  return isSomeOrdered ? [orderedStatement, orderedItems] : [plainStatement, plainItems];
}

/** Writes the items with their deliveries and jobs. @returns the result of each */
export async function writeItems(on: pg.Pool | pg.PoolClient, items: readonly EmitItem[]): Promise<EmitResult[]> {
  const [statement, parameter] = formOf(items);
  return (await query<EmitRow>(on, statement, parameter.values(items))).map(toResult);
}

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
    : { refused: row.error_code };
