import type pg from 'pg';
import { bigintArray } from '../../database/array-parameters.js';
import { query, type Statement } from '../../database/database.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import { lockFreeJobsSql, needsJobIn } from '../jobs/job-conditions.js';
import { type FinishedAttempt, withDelaysLeft } from './finished-attempt.js';

const lockFreeStatement: Statement = {
  text: `
    with free as materialized (
      select id from hookwright.deliveries where id = any($3::bigint[]) and id between $1 and $2
      order by id for update skip locked)
    select id from hookwright.deliveries where id = any($3::bigint[]) and id between $1 and $2
      and id not in (select id from free)`,
};

const lockFreeJobsStatement: Statement = {
  text: `with ${lockFreeJobsSql('$1::text[]')} select substr(key, 3)::bigint as id from locked_job`,
};

/**
 * Locks the deliveries of attempts that nobody else has locked, for the rest of the transaction, in the order of their
 * ids as everywhere; their webhooks are locked already. Then those of their jobs whose place the next attempt's takes
 * at once.
 *
 * @returns the ids of those that others have locked, or whose jobs: one that is gone is not among them
 */
export async function lockFreeDeliveries(
  client: pg.PoolClient,
  attempts: readonly FinishedAttempt[],
): Promise<Set<number>> {
  const ids = attempts.map(({ delivery }) => delivery.id);
  const values = [...idRange(ids), bigintArray(ids)];
  const locked = new Set(idsOf(await query<{ id: number }>(client, lockFreeStatement, values)));
  const keys = attempts.filter(isRetriedSoon).map(({ delivery }) => `d:${delivery.id}`);
  if (keys.length > 0) {
    for (const id of idsOf(await query<{ id: number }>(client, lockFreeJobsStatement, [keys]))) {
      locked.add(id);
    }
  }
  return locked;
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

function isRetriedSoon(attempt: FinishedAttempt): boolean {
  const { retryInMs } = withDelaysLeft(attempt, performance.now());
  return retryInMs !== null && needsJobIn(retryInMs);
}
