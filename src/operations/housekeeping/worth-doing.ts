import type pg from 'pg';
import { query } from '../../platform/database/database.js';

/** SQL query: which duties may find something. Their conditions may use `first_due`, when the next delivery is due. */
const worthDoingSql = (duties: readonly { name: string; worthIt: string }[]): string => `
  select ${duties.map(({ name, worthIt }) => `coalesce(${worthIt}, false) as "${name}"`).join(',\n    ')}
  from (select min(due_at) as first_due from hookwright.deliveries where status = 'PENDING') pending`;

/**
 * Asks for all duties at once: while nothing happens, this is all that they cost. It reads the ends of small indexes,
 * and knows nothing of jobs, so unlike the duties it can be prepared.
 *
 * @returns by name; a duty that is false would find nothing
 */
export async function worthDoing(
  pool: pg.Pool,
  duties: readonly { name: string; worthIt: string }[],
): Promise<Readonly<Record<string, boolean>>> {
  const [row] = await query<Record<string, boolean>>(pool, { name: 'worth_doing', text: worthDoingSql(duties) }, []);
  return row!;
}
