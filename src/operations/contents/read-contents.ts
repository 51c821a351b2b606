import type pg from 'pg';
import type { Content } from '../../domain/content/content.js';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';

export const readContentsStatement: Statement = {
  name: 'read_contents',
  text: `select id, release, shape, format, text, template from hookwright.webhook_contents where id = any($1::bigint[])`,
};

export type ContentRow = Content & { id: number };

/** Null for one that is gone: its tenant was erased. */
export async function readContents(pool: pg.Pool, ids: readonly number[]): Promise<(Content | null)[]> {
  const rows = await query<ContentRow>(pool, readContentsStatement, [bigintArray(ids)]);
  const found = new Map(rows.map(({ id, ...content }) => [id, content]));
  return ids.map((id) => found.get(id) ?? null);
}
