import { expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { dutiesOf } from '../../daemon/duties/duties.js';
import { doOnce } from '../../daemon/duties/duty.js';
import { keepHouse } from '../../daemon/duties/housekeeping.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { housekeepingStarted, isHousekeepingDone } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRows, openTransaction } from '../support/locks.js';
import { watchedLog } from '../support/plaintext.js';

test('a partition that cannot be dropped keeps nothing else of housekeeping from being done', async () => {
  await using stack = await DeliveryStack.open();
  const { db, config } = stack.services;
  await stack.rows(`select hookwright.make_partition('attempts', '2020-01-01')`);
  await stack.rows(
    `insert into hookwright.idempotency_keys values (${stack.tenantId}, 'old', 1, '', now() - interval '8 days')`,
  );
  await using _reader = await openTransaction(
    stack.databaseUrl,
    'lock table hookwright.attempts_20200101 in access share mode',
  );
  const run = keepHouse({ config, db, log: watchedLog(), metrics: new DaemonMetrics() });
  await expect(run).rejects.toThrow('1 of 22 duties');
  expect(await stack.rows('select key from hookwright.idempotency_keys')).toEqual([]);
});

test('deliveries that were open when their day was dropped are told to Prometheus, also when it cannot be dropped yet', async () => {
  await using stack = await DeliveryStack.open();
  const { db, config } = stack.services;
  const metrics = new DaemonMetrics();
  const keep = () => keepHouse({ config, db, log: watchedLog(), metrics });
  const expired = async () => {
    const text = await metrics.registry.metrics();
    return /^hookwright_expired_deliveries_total (\d+)$/m.exec(text)?.[1];
  };
  expect(await expired()).toBe('0');
  await stack.rows(`select hookwright.make_partition('deliveries', '2025-06-01')`);
  await stack.rows(`insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
                    select hookwright.id_at('2025-06-01T12:00:00Z') + n, ${stack.tenantId}, 1, 1, 'coupon.applied',
                           case n when 1 then 'HELD' when 2 then 'PENDING' else 'SUCCEEDED' end::hookwright.delivery_status
                    from generate_series(1, 3) n`);
  await using reader = await openTransaction(
    stack.databaseUrl,
    'lock table hookwright.deliveries_20250601 in access share mode',
  );
  await expect(keep()).rejects.toThrow('1 of 22 duties');
  expect(await expired()).toBe('2');
  await reader.letGo();
  await keep();
  expect(await expired()).toBe('2');
});

test('housekeeping that is under way is not begun a second time', async () => {
  await using stack = await DeliveryStack.open();
  const deps = { ...stack.services, log: watchedLog(), metrics: new DaemonMetrics() };
  const duty = dutiesOf(deps, {} as never, {} as never).find(({ name }) => name === 'housekeeping')!;
  const keep = () => doOnce(stack.services.db.pool, duty);
  await stack.rows(
    `insert into hookwright.idempotency_keys values (${stack.tenantId}, 'old', 1, '', now() - interval '8 days')`,
  );
  await using other = await lockRows(stack.databaseUrl, 'hookwright.idempotency_keys', 'true');
  const first = keep();
  await eventually(async () => (await stack.rows(lockWaits)).length === 1);
  await keep();
  expect(await stack.rows(lockWaits)).toHaveLength(1);
  await other.letGo();
  await first;
  expect(await stack.rows('select key from hookwright.idempotency_keys')).toEqual([]);
});

test('a daemon that starts after hours off does the housekeeping of all of them at once', async () => {
  await using stack = await DeliveryStack.open();
  await housekeepingStarted(stack, `now() - interval '30 hours'`);
  const { log, lines } = keptLog('info');
  const daemon = new Daemon({ ...stack.services, log });
  try {
    await eventually(() => isHousekeepingDone(stack));
  } finally {
    await daemon.stop();
  }
  const runs = lines.filter(({ msg }) => msg === 'rolled partitions').length;
  expect(runs).toBeGreaterThan(0);
  expect(runs).toBeLessThanOrEqual(2); // the second one when the hour's own time comes meanwhile
});
