import type pg from 'pg';
import { bigintArray } from '../../database/array-parameters.js';
import { query, type Statement } from '../../database/database.js';
import { idRange } from '../../domain/delivery-id.js';
import type { FinishedAttempt } from './finished-attempt.js';

const lockFreeStatement: Statement = {
  text: `
    with free as materialized (
      select id from hookwright.deliveries where id = any($3::bigint[]) and id between $1 and $2
      order by id for update skip locked)
    select id from hookwright.deliveries where id = any($3::bigint[]) and id between $1 and $2
      and id not in (select id from free)`,
};

/**
 * Locks the deliveries of attempts that nobody else has locked, for the rest of the transaction, in the order of their
 * ids as everywhere; their webhooks are locked already.
 *
 * @returns the ids of those that others have locked: one that is gone is not among them
 */
export async function lockFreeDeliveries(
  client: pg.PoolClient,
  attempts: readonly FinishedAttempt[],
): Promise<Set<number>> {
  const ids = attempts.map(({ delivery }) => delivery.id);
  const values = [...idRange(ids), bigintArray(ids)];
  const rows = await query<{ id: number }>(client, lockFreeStatement, values);
  return new Set(rows.map(({ id }) => id));
}
