import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

/** Outcomes of these webhooks wait for a chunk. */
const CHUNK_ROWS = 1_000;

const chunkStatement: Statement = {
  name: 'follow_defaults',
  text: `
    with chunk as materialized (
      select id from hookwright.webhooks
      where tenant_id = $1 and id > $2 and deleted_at is null order by id limit ${CHUNK_ROWS} for no key update),
    changed as (
      update hookwright.webhooks w set options_version = nextval('hookwright.options_version')
      from chunk where w.id = chunk.id)
    select max(id)::float8 as last, count(*)::integer as webhooks from chunk`,
};

/**
 * Gives each webhook of a tenant another version of its options, after the tenant's defaults have changed: daemons keep
 * options by their version. A webhook that is made meanwhile has the new defaults: it locks the tenant.
 *
 * @param after the last webhook that an earlier piece has done
 * @param pieceMs the time for this piece
 * @returns the last webhook that this piece has done; null: all are done
 */
export async function followDefaults(
  pool: pg.Pool,
  tenantId: number,
  after: number,
  pieceMs: number,
): Promise<number | null> {
  const endAt = performance.now() + pieceMs;
  let last = after;
  do {
    const [chunk] = await query<{ last: number | null; webhooks: number }>(pool, chunkStatement, [tenantId, last]);
    if (chunk === undefined || chunk.last === null || chunk.webhooks < CHUNK_ROWS) {
      return null;
    }
    last = chunk.last;
  } while (performance.now() < endAt);
  return last;
}
