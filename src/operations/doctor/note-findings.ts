import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import type { Check } from './check.js';

const noteStatement: Statement = {
  name: 'note_findings',
  text: 'select hookwright.note_findings($1::text[], $2::text[], $3::text[])',
};

/** Informs webhooks of the installation of checks that have another status than they were last sent. */
export async function noteFindings(pool: pg.Pool, checks: readonly Check[]): Promise<void> {
  const columns = [checks.map(({ name }) => name), checks.map(({ status }) => status), checks.map(({ text }) => text)];
  await query(pool, noteStatement, columns);
}
