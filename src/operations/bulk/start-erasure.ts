import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { FieldCondition } from '../../domain/content/filter.js';
import { DRY_RUN_MINUTES, erasureBegins } from '../../domain/events/erasing.js';
import { idToDate } from '../../domain/ids/delivery-id.js';
import { canonicalJson } from '../../domain/text/canonical-json.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import type { AuditActor } from '../../entities/audit-entry.js';
import { BulkOperation } from '../../entities/bulk-operation.js';
import { refusedInput } from '../../errors.js';
import { type HasOrm, type HasPool, query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { tenantTransaction } from '../../platform/database/tenant-database.js';
import { countScheduled } from '../erasure/erase-these.js';
import { enqueueBulkOperation } from '../jobs/enqueue.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import type { BulkRange } from './bulk-filter.js';
import { freeze, requireFewOpen } from './bulk-operations.js';
import { countSelected } from './bulk-selection.js';
import { scheduledQuestion, sealedField } from './run-erasure.js';

/** Events to erase: all of these conditions are met. */
export interface ErasureFilter {
  /** Null: of all types. */
  eventTypes: readonly string[] | null;
  /** A condition on one field of the payload; null: none. */
  field: FieldCondition | null;
  since: Date | null;
  until: Date | null;
}

const hashOf = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest();

/** The filter with a hash in place of the value that the field is compared with. */
function noted({ eventTypes, field }: ErasureFilter) {
  const { path, op, value } = field ?? {};
  const ofField = value === undefined ? { path, op } : { path, op, valueSha256: hashOf(value).toString('hex') };
  return { ...(eventTypes ? { eventTypes } : {}), ...(field ? { field: ofField } : {}) };
}

async function countAll(client: pg.PoolClient, tenantId: number, filter: ErasureFilter, range: BulkRange) {
  const { eventTypes, field } = filter;
  const selection = { kind: 'ERASE_EVENTS', webhookId: null, filter: { eventTypes, field } } as const;
  const { count, isCapped } = await countSelected(client, tenantId, selection, range);
  return { count: count + (await countScheduled(client, tenantId, scheduledQuestion(filter, range))), isCapped };
}

const noteStatement: Statement = {
  text: `insert into hookwright.erasure_counts (tenant_id, api_key_id, filter_hash, count, to_id)
         values ($1, $2, $3, $4, $5)`,
};

/**
 * Counts what an erasure would erase. The number is noted, for the same key and filter.
 *
 * @throws ApiError search_timed_out when there is too much to count
 */
export async function countErasure(
  db: HasPool & HasOrm,
  tenantId: number,
  filter: ErasureFilter,
  by: Actor,
): Promise<{ count: number; isCapped: boolean }> {
  const range = await managementTransaction(db, tenantId, ({ sql }) => freeze(sql, filter));
  const counted = await tenantTransaction(db.pool, tenantId, (client) => countAll(client, tenantId, filter, range));
  await managementTransaction(db, tenantId, ({ sql }) =>
    query(sql, noteStatement, [tenantId, by.keyId, hashOf(filter), counted.count, range.below]),
  );
  return counted;
}

/** One of two at once finds it: the other one waits for the row, and it is used then. */
const useStatement: Statement = {
  text: `
    update hookwright.erasure_counts c set used_at = now()
    where c.used_at is null and c.id = (
      select id from hookwright.erasure_counts
      where tenant_id = $1 and api_key_id = $2 and filter_hash = $3 and count = $4 and used_at is null
        and counted_at > now() - interval '${DRY_RUN_MINUTES} minutes'
      order by id desc limit 1)
    returning c.to_id::float8 as "toId"`,
};

async function useCount(sql: SqlTarget, tenantId: number, filter: ErasureFilter, confirm: number, by: Actor) {
  const [used] = await query<{ toId: number }>(sql, useStatement, [tenantId, by.keyId, hashOf(filter), confirm]);
  if (used === undefined) {
    const detail = `is not the \`total\` that a dry run with this key and filter has given in the last ${DRY_RUN_MINUTES} minutes, or it was used`;
    throw refusedInput(['confirm'], 'dry_run_required', detail);
  }
  return used.toId;
}

/**
 * Starts the bulk operation that erases what a dry run has counted, and nothing that came later.
 *
 * @param confirm the number that the dry run gave: it is used up
 * @throws ApiError invalid_input for another number; bulk_operation_limit_reached
 */
export async function startErasure(
  db: HasOrm,
  vault: Pick<SecretVault, 'seal'>,
  tenantId: number,
  { filter, confirm, reason }: { filter: ErasureFilter; confirm: number; reason: string },
  by: Actor,
): Promise<BulkOperation> {
  return await managementTransaction(db, tenantId, async (unit) => {
    await requireFewOpen(unit.em, unit.sql, tenantId);
    const toId = await useCount(unit.sql, tenantId, filter, confirm, by);
    const { above } = await freeze(unit.sql, filter);
    const operation = createOperation(unit, tenantId, filter, { range: { above, below: toId }, count: confirm }, by);
    operation.sealedField = filter.field && (await sealedField(vault, tenantId, filter.field));
    await unit.em.flush();
    const { id, filter: shown } = operation;
    await enqueueBulkOperation(unit.sql, { operationId: id, tenantId, waitedMs: 0 }, 0);
    const after = { kind: 'ERASE_EVENTS', ...JSON.parse(shown), count: confirm, reason };
    audit(unit.em, by, { ...about('BULK_OPERATION', tenantId, id), action: 'BULK_OPERATION_STARTED', after });
    return operation;
  });
}

function createOperation(
  { em, now }: UnitOfWork,
  tenantId: number,
  filter: ErasureFilter,
  { range, count }: { range: BulkRange; count: number },
  by: Actor,
): BulkOperation {
  const since = filter.since && formatTimestamp(filter.since);
  return em.create(BulkOperation, {
    tenantId,
    kind: 'ERASE_EVENTS',
    filter: JSON.stringify({ ...noted(filter), since, until: formatTimestamp(idToDate(range.below)) }),
    fromId: range.above + 1,
    cursorId: range.above,
    toId: range.below,
    total: count,
    beginsAt: erasureBegins(count, now),
    scheduledCursor: 0,
    actor: by.kind as AuditActor,
    apiKeyId: by.keyId,
    requestId: by.requestId,
  });
}
