import { expect, test } from 'vitest';
import { rehearse } from '../../src/cli/rehearse.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { openTestServices } from '../support/factories.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';

const TABLES = [
  'tenants',
  'event_types',
  'event_type_versions',
  'webhooks',
  'events',
  'deliveries',
  'attempts',
  'delivery_stats',
];

test('a process that says it is ready has planned what an emit and its outcome need, and leaves nothing behind', async () => {
  await using stack = await DeliveryStack.open();
  const { log, lines } = keptLog('debug');
  const services = { ...stack.services, log };
  const counts = [...TABLES.map((table) => `hookwright.${table}`), JOBS_TABLE].map(
    (table) => `(select count(*)::integer from ${table})`,
  );
  const read = () => stack.rows(`select array[${counts.join(', ')}] as counts`);
  const before = await read();
  // On a busy machine its second may be over before it has begun.
  await eventually(async () => {
    await rehearse({ api: services, daemon: services });
    const { rows } = await services.db.pool.query('select name from pg_prepared_statements');
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['emit_lone_event', 'load_deliveries', 'record_successes']),
    );
    return true;
  }, 25_000);
  expect(lines).toEqual([]);
  expect(await read()).toEqual(before);
});

test.each(['api', 'daemon'] as const)('a process with the %s alone rehearses its part', async (part) => {
  await using stack = await DeliveryStack.open();
  const { log, lines } = keptLog('debug');
  const opened = await openTestServices(stack.databaseUrl, part === 'api' ? { role: API_ROLE } : {});
  try {
    await rehearse({ api: null, daemon: null, [part]: { ...opened, log } });
  } finally {
    await opened.db.close();
  }
  expect(lines).toEqual([]);
});
