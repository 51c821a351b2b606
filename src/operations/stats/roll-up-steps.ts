import type { RollUpStep } from '../../domain/stats/roll-up.js';
import type { Statement } from '../../platform/database/database.js';

type Length = 'MINUTE' | 'HOUR' | 'DAY';

/** A table of statistics, whose minutes are rolled up to hours, and these to days. */
interface RolledTable {
  table: string;
  /** The prefix of the subject in its statements' names, such as `queue_` in `roll_queue_hours`. */
  subject: string;
  /** Conditions that tell rows from their sums; default: there are no sums. */
  rows?: { written: string; sum: string };
  /** SQL: writes the rows of a source, and their sums, as rows of this length. */
  rollSql: (source: string, into: Length) => string;
}

/** The statements of each step. They take the begin and the end of a time. */
export function rollUpSteps({
  table,
  subject,
  rows,
  rollSql,
}: RolledTable): Partial<Record<RollUpStep['kind'], Statement>> {
  const within = (length: Length) =>
    `hookwright.${table} where resolution = '${length}' and bucket >= $1 and bucket < $2`;
  const written = (length: Length) => (rows === undefined ? within(length) : `${within(length)} and ${rows.written}`);
  /** Deletes rows with their sums, and writes their final roll-up. */
  const endSql = (from: Length, into: Length) => `
    with gone as (delete from ${written(from)} returning *)
    ${rows === undefined ? '' : `, sums as (delete from ${within(from)} and ${rows.sum})`}
    ${rollSql('gone', into)}`;
  const sums = { SUM_MINUTES: { name: `sum_${subject}minutes`, text: rollSql(written('MINUTE'), 'MINUTE') } };
  return {
    ...(rows === undefined ? {} : sums),
    ROLL_HOURS: { name: `roll_${subject}hours`, text: rollSql(written('MINUTE'), 'HOUR') },
    ROLL_DAYS: { name: `roll_${subject}days`, text: rollSql(written('HOUR'), 'DAY') },
    END_MINUTES: { name: `end_${subject}minutes`, text: endSql('MINUTE', 'HOUR') },
    END_HOURS: { name: `end_${subject}hours`, text: endSql('HOUR', 'DAY') },
  };
}
