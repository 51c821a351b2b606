import type pg from 'pg';
import { compileFilter } from '../../domain/content/compile-filter.js';
import type { FieldCondition } from '../../domain/content/filter.js';
import { idToDate } from '../../domain/ids/delivery-id.js';
import { BULK_CHUNK_UNQUEUED } from '../../domain/pacing/bulk-pace.js';
import { chooseScheduled, erasePendingCauses, eraseThese, type ScheduledQuestion } from '../erasure/erase-these.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import type { BulkFilter, BulkRange } from './bulk-filter.js';
import { selectChunk } from './bulk-selection.js';

/** The condition of an erasure in its row: nobody reads there whom it is about. It belongs to no webhook. */
const SEALED_AS = { webhookId: 0, field: 'erasure' };

export const sealedField = (
  vault: Pick<SecretVault, 'seal'>,
  tenantId: number,
  field: FieldCondition,
): Promise<Buffer> => vault.seal(tenantId, SEALED_AS.webhookId, JSON.stringify(field), SEALED_AS.field);

async function openField(
  vault: Pick<SecretVault, 'open'>,
  tenantId: number,
  sealed: Buffer | null,
): Promise<FieldCondition | null> {
  return sealed === null
    ? null
    : (JSON.parse(await vault.open(tenantId, SEALED_AS.webhookId, sealed, SEALED_AS.field)) as FieldCondition);
}

/** The question of an erasure about scheduled events. @param range of its events */
export const scheduledQuestion = (
  { eventTypes, field }: Pick<BulkFilter, 'eventTypes' | 'field'>,
  { above, below }: BulkRange,
): ScheduledQuestion => ({
  eventTypes: eventTypes ?? null,
  condition: field ? compileFilter({ field }) : null,
  since: idToDate(above + 1),
  until: idToDate(below),
  below,
});

/** An erasure under way, as its row has it. */
interface Erasure {
  eventTypes: readonly string[] | null;
  sealedField: Buffer | null;
  /** The first event of the whole range. */
  fromId: number;
  /** The part of it that is left. */
  range: BulkRange;
  /** Scheduled events up to this one are done; null: all are. */
  scheduledCursor: number | null;
}

interface ErasedChunk {
  looked: number;
  erased: number;
  /** Events up to this one are done; null: all are. */
  lastId: number | null;
  scheduledCursor: number | null;
}

/** Erases the next chunk: scheduled events first, so that none of them becomes an event that is not looked at. */
export async function eraseNext(
  client: pg.PoolClient,
  vault: Pick<SecretVault, 'open'>,
  tenantId: number,
  { eventTypes, sealedField: sealed, fromId, range, scheduledCursor }: Erasure,
): Promise<ErasedChunk> {
  const filter = { eventTypes, field: await openField(vault, tenantId, sealed) };
  if (scheduledCursor !== null) {
    const question = scheduledQuestion(filter, { ...range, above: fromId - 1 });
    if (scheduledCursor === 0) {
      await erasePendingCauses(client, tenantId, question);
    }
    const { ids, last } = await chooseScheduled(client, tenantId, question, scheduledCursor, BULK_CHUNK_UNQUEUED);
    const erased = await eraseThese(client, tenantId, ids, { scheduled: true });
    return { looked: ids.length, erased, lastId: range.above, scheduledCursor: last };
  }
  const selection = { kind: 'ERASE_EVENTS', webhookId: null, filter } as const;
  const { ids, lastId } = await selectChunk(client, tenantId, selection, range, BULK_CHUNK_UNQUEUED);
  return { looked: ids.length, erased: await eraseThese(client, tenantId, ids), lastId, scheduledCursor };
}
