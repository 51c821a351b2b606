import { readFileSync } from 'node:fs';

/** The files of `functions`, in an order in which each comes after those that its functions with `return` call. */
export const functionFiles: readonly string[] = [
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
];

const read = (name: string) => readFileSync(new URL(`./functions/${name}.sql`, import.meta.url), 'utf8');

/** SQL: makes or replaces functions, which only roles with a grant may call. */
export const install = (names: readonly string[]) =>
  `${names.map(read).join('\n')} revoke execute on all functions in schema hookwright from public;`;
