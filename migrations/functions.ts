import { readSql } from './read-sql.js';

/** The files of `functions`, in an order in which each comes after those that its functions with `return` call. */
const files: readonly string[] = [
  'former',
  'ids',
  'partitions',
  'callers',
  'sessions',
  'emit',
  'flow',
  'ordering',
  'turns',
  'emit-events-once',
  'write-flow-events',
  'place-deliveries',
  'new-deliveries',
  'checks',
  'probes',
  'judge-emits',
  'scheduled',
  'jobs',
  'webhook-state',
  'operational-events',
  'notices',
  'event-type-versions',
  'schema-impact',
  'live-updates',
  'statistics',
  'where-is',
  'rights',
];

/** SQL: makes or replaces every function. It is without the comments above functions, which change nothing. */
export const functions = (): string =>
  files
    .map((name) => readSql(`functions/${name}`))
    .join('\n')
    .replaceAll(/^--.*\n/gm, '');
