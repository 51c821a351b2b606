import type pg from 'pg';
import { QUEUE_COUNT_MAX } from '../../domain/stats/queue.js';
import { query, type Statement } from '../../platform/database/database.js';
import { type Candidate, countOf, type Found, type Queued } from './find-queued.js';

/** Blocks that counting a kind may take beside looking webhooks up, and those of an index that each delivery takes. */
const COUNT_BLOCKS = 200;
const BLOCKS_A_ROW = 0.006;
const COUNTED_AT_LEAST = 5;

/** The share of pages of which an index alone says enough, and the blocks that this transaction has read. */
const readStatement: Statement = {
  name: 'read_blocks_of_days',
  text: `
    select coalesce(sum(relallvisible)::float8 / nullif(sum(relpages), 0), 0) as visible,
           sum(pg_stat_get_xact_blocks_fetched(oid))::float8 as blocks
    from pg_class where oid = any($1::text[]::regclass[])`,
};

/**
 * Counts deliveries of webhooks as far as few blocks allow. Where pages have changed since vacuum has been there, a
 * delivery takes a block of the table at worst; most share one with the next. So the first count is as long as the
 * worst allows, and those webhooks that have more are counted again as far as the first count says.
 *
 * @returns `limit`: a webhook with as many may have more
 */
export async function countWithin(
  client: pg.PoolClient,
  kind: Queued,
  days: readonly string[],
  webhooks: readonly Candidate[],
): Promise<{ found: Found[]; limit: number }> {
  const names = days.map((day) => `hookwright.${day}`);
  const read = async () => (await query<{ visible: number; blocks: number }>(client, readStatement, [names]))[0]!;
  const before = await read();
  const limit = limitOf(COUNT_BLOCKS / (1 - Math.min(1, before.visible) + BLOCKS_A_ROW), webhooks.length, days);
  const found = await countOf(client, kind, days, webhooks, limit);
  const ofMany = new Set(found.filter(({ count }) => count >= limit).map(({ webhookId }) => webhookId));
  if (ofMany.size === 0 || limit === QUEUE_COUNT_MAX) {
    return { found, limit };
  }
  const blocks = (await read()).blocks - before.blocks;
  const rows = found.reduce((sum, { count }) => sum + count, 0);
  const further = limitOf((COUNT_BLOCKS - blocks) / (blocks / rows + BLOCKS_A_ROW), ofMany.size, days);
  if (further <= limit) {
    return { found, limit };
  }
  const more = webhooks.filter(({ webhookId }) => ofMany.has(webhookId));
  const longer = await countOf(client, kind, days, more, further);
  return { found: [...found.filter(({ webhookId }) => !ofMany.has(webhookId)), ...longer], limit: further };
}

/** Numbers of deliveries that are counted of each webhook in each day, so that they are as many as these together. */
const limitOf = (rows: number, webhooks: number, days: readonly string[]): number =>
  Math.min(QUEUE_COUNT_MAX, Math.max(COUNTED_AT_LEAST, Math.floor(rows / webhooks / days.length)));
