import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Every comparison of ids of events and deliveries, and why it may be wrong by the window of cells: an id may say a time
 * that is up to 256 ms from when it was made, and ids of one window are in no order (docs/decisions/0098).
 */
const reasons = {
  /** A page or a walk goes on at the id of a row; what comes meanwhile is no part of it, or the next walk finds it. */
  cursor: 'goes on at the id of a row that was read',
  /** The bounds of a search or a chart, which people give in seconds. */
  period: 'a time that somebody gave: right to the window, as the documents say',
  /** A range that is frozen when a bulk operation starts, at the beginning of a window. */
  frozen: 'below the window of its start, so nothing later is in it',
  /** Bounds around what is found by another condition: they spare other partitions. */
  slack: 'a bound that is looser than the window',
  /** Whole days, or a time that is days ago. Windows do not cross midnight. */
  days: 'whole days, or at least days ago',
  /** A share of an emit's tenant, which is a guess of two seconds anyway. */
  count: 'counts the last two seconds, roughly',
  /** Whether a list in memory still has to be sorted. */
  order: 'sorts, and gives no time a meaning',
  /** A time half a minute ago, by which rows are parted: all ids below it were made and committed by then. */
  parts: 'below it all is committed, and nothing new comes',
  /** A number of a webhook, tenant or key. */
  sequence: 'a number that counts up, without a time',
} as const;

type Why = keyof typeof reasons;

/** By file: the comparisons in the order of the file. */
const known: Readonly<Record<string, readonly (readonly [comparison: string, why: Why])[]>> = {
  'daemon/gate/backlog.ts': [['id > (line.ids.at(', 'order']],
  'migrations/functions/callers.sql': [
    ['id > 0))::integer', 'sequence'],
    ['id > 0)', 'sequence'],
    ['t.id < 0', 'sequence'],
  ],
  'migrations/functions/emit-events-once.sql': [['d.id > since', 'count']],
  'migrations/functions/erasure.sql': [
    ['d.id > low', 'slack'],
    ['d.id > low', 'slack'],
  ],
  'migrations/functions/ordering.sql': [['d.id > event', 'slack']],
  'migrations/functions/tenant-names.sql': [
    ['t.id > above', 'sequence'],
    ['t.id < below', 'sequence'],
  ],
  'migrations/functions/turns.sql': [['d.id <= (greatest(w.keep_held_up_to', 'slack']],
  'src/api/graphql/fields/connection.ts': [
    ['id > 0', 'cursor'],
    ['id < Number.MAX_SAFE_INTEGER', 'cursor'],
  ],
  'src/operations/bulk/bulk-selection.ts': [
    ['e.id > $2', 'frozen'],
    ['e.id < $3', 'frozen'],
    ['e.id >= {KEPT_FROM}', 'days'],
    ['e.id > $2', 'frozen'],
    ['e.id < $3', 'frozen'],
    ['d.id > $2::bigint', 'slack'],
  ],
  'src/operations/bulk/look-at-deliveries.ts': [
    ['d.id > $2', 'frozen'],
    ['d.id < $3', 'frozen'],
  ],
  'src/operations/cells/move/arrive.ts': [['e.id < hookwright.id_at($2::timestamptz)', 'parts']],
  'src/operations/cells/move/precopy.ts': [
    ['e.id >= low', 'days'],
    ['e.id < high)', 'days'],
    ['e.id >= low', 'days'],
    ['e.id < high))', 'days'],
    ['t.id >= {low}', 'days'],
    ['t.id < {until}', 'parts'],
    ['t.event_id >= {low}', 'days'],
    ['t.event_id < {until}', 'parts'],
  ],
  'src/operations/deliveries/counts-as-held.ts': [['delivery}.id <= {idsUntilSql(bound)}', 'slack']],
  'src/operations/deliveries/rescue-deliveries.ts': [['d.id < hookwright.id_at(now()', 'days']],
  'src/operations/deliveries/wake-put-off.ts': [['d.id > $2', 'cursor']],
  'src/operations/erasure/erase-these.ts': [
    ['s.event_id >= $6)', 'frozen'],
    ['s.id > $7', 'sequence'],
  ],
  'src/operations/erasure/retention.ts': [
    ['t.id > $1', 'sequence'],
    ['e.id < hookwright.id_at(now()', 'days'],
    ['e.id > coalesce((select', 'days'],
  ],
  'src/operations/explorer/count-deliveries.ts': [
    ['d.id > $2', 'period'],
    ['d.id < $3', 'period'],
  ],
  'src/operations/explorer/fan-out.ts': [
    ['id > $5', 'sequence'],
    ['id < $6', 'sequence'],
  ],
  'src/operations/explorer/page-deliveries.ts': [
    ['d.id > $2', 'cursor'],
    ['d.id < $3', 'cursor'],
    ['id > $2', 'cursor'],
    ['id < $3', 'cursor'],
    ['d.id > $2', 'cursor'],
    ['d.id < $3', 'cursor'],
    ['q.delivery_id > $2', 'cursor'],
    ['q.delivery_id < $3', 'cursor'],
    ['d.id > $2', 'cursor'],
    ['d.id < $3', 'cursor'],
    ['e.id >= {from}', 'days'],
    ['e.id < {to})', 'days'],
    ['e.id < {from}))', 'days'],
  ],
  'src/operations/explorer/page-events.ts': [
    ['e.id > $2', 'cursor'],
    ['e.id < $3', 'cursor'],
  ],
  'src/operations/explorer/page.ts': [['delivery}.id > {eventId}', 'slack']],
  'src/operations/explorer/preview-filter.ts': [
    ['e.id > $2', 'period'],
    ['e.id < $3', 'period'],
  ],
  'src/operations/housekeeping/forget.ts': [['event_id < hookwright.id_at(now()', 'days']],
  'src/operations/housekeeping/roll-partitions.ts': [['event_id < {rows', 'days']],
  'src/operations/installation/failing-webhooks.ts': [['d.id <= {webhook}.failed_up_to', 'slack']],
  'src/operations/releases/conversions.ts': [['id < from))', 'period']],
  'src/operations/tenants/follow-defaults.ts': [['id > $2', 'sequence']],
  'src/operations/tenants/search-tenants.ts': [
    ['id > $1', 'sequence'],
    ['id < $2', 'sequence'],
  ],
  'src/operations/webhooks/align-chunk.ts': [
    ["d.id <= {idsUntilSql('$4::bigint')}", 'slack'],
    ['d.id > $2', 'cursor'],
  ],
  'src/operations/webhooks/align-webhook.ts': [["q.delivery_id <= {idsUntilSql('keep_held_up_to')})", 'slack']],
  'src/operations/webhooks/probe-webhooks.ts': [['id > $2', 'sequence']],
};

/** Of these columns, or of `id` of rows that have one. */
const COMPARISON = /(?:[\w}]+\.)?\b(?:(?:event_|delivery_)?id|done_to)\b (?:<=|>=|<|>) (?!\w*id\b.*;)\(?[$\w:{}.'()]+/g;

test('every comparison of ids is known, with why 256 ms do not matter', () => {
  const found: Record<string, string[]> = {};
  for (const file of globSync(['migrations/functions/*.sql', 'src/**/*.ts', 'daemon/**/*.ts'])) {
    const text = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:--|\/\/|\*|\/\*)/.test(line))
      .join('\n');
    const compared = text.match(COMPARISON) ?? [];
    if (compared.length > 0) {
      found[file] = compared.map((one) => one.replaceAll('${', '{')); // as in the list: no template strings
    }
  }
  expect(found).toEqual(
    Object.fromEntries(Object.entries(known).map(([file, all]) => [file, all.map(([one]) => one)])),
  );
});
