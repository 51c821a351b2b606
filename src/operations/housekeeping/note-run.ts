import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

const ERROR_CHARS_MAX = 2_000;

const noteStatement: Statement = {
  text: `update hookwright.housekeeping
         set succeeded_at = case when $1::text is null then now() else succeeded_at end,
             failed_at = case when $1::text is null then failed_at else now() end,
             error = $1`,
};

/** Writes the result of a housekeeping run. @param error the failures; null: none */
export async function noteHousekeeping(pool: pg.Pool, error: string | null): Promise<void> {
  await query(pool, noteStatement, [error?.slice(0, ERROR_CHARS_MAX) ?? null]);
}
