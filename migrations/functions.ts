import { readSql } from './read-sql.js';

/** The files of `functions`, in an order in which each comes after those that its functions with `return` call. */
const files: readonly string[] = [
  'former',
  'ids',
  'partitions',
  'callers',
  'tenant-limits',
  'sessions',
  'emit',
  'flow',
  'ordering',
  'turns',
  'settling',
  'emit-events-once',
  'write-events',
  'changes',
  'match-flow',
  'insert-deliveries',
  'new-deliveries',
  'emit-lone-event',
  'checks',
  'probes',
  'judge-emits',
  'judge-more',
  'erasure',
  'scheduled',
  'jobs',
  'webhook-state',
  'installation-events',
  'moves',
  'operational-events',
  'notices',
  'event-type-versions',
  'converters',
  'schema-impact',
  'live-updates',
  'statistics',
  'where-is',
  'tenant-names',
  'external-ids',
  'rights',
];

/** A file that is printed once for each of these ways: with its name for {{way}}, and without lines only of others. */
const ways: Readonly<Record<string, readonly string[]>> = { 'write-events': ['plain', 'flow'] };

const printFor = (text: string, way: string) =>
  text
    .replaceAll(/^.* -- only (\w+)\n/gm, (line, only) => (only === way ? line.replace(/ +-- only \w+\n/, '\n') : ''))
    .replaceAll('{{way}}', way);

/** SQL: makes or replaces every function. It is without the comments above functions, which change nothing. */
export const functions = (): string =>
  files
    .flatMap((name) => {
      const text = readSql(`functions/${name}`);
      return ways[name]?.map((way) => printFor(text, way)) ?? [text];
    })
    .join('\n')
    .replaceAll(/^--.*\n/gm, '');
