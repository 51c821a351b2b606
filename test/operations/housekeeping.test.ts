import { expect, test } from 'vitest';
import { keepHouse } from '../../daemon/housekeeping.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { watchedLog } from '../support/plaintext.js';

test('a partition that cannot be dropped keeps nothing else of housekeeping from being done', async () => {
  await using stack = await DeliveryStack.open();
  const { db, config } = stack.services;
  await stack.rows(`select hookwright.make_partition('attempts', '2020-01-01')`);
  await stack.rows(
    `insert into hookwright.idempotency_keys values (${stack.tenantId}, 'old', 1, '', now() - interval '8 days')`,
  );
  const reader = await db.pool.connect();
  try {
    await reader.query('begin; lock table hookwright.attempts_20200101 in access share mode');
    await expect(keepHouse({ config, db, log: watchedLog(), metrics: new DaemonMetrics() })).rejects.toThrow(
      '1 of 9 duties',
    );
  } finally {
    reader.release(true);
  }
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
  const reader = await db.pool.connect();
  try {
    await reader.query('begin; lock table hookwright.deliveries_20250601 in access share mode');
    await expect(keep()).rejects.toThrow('1 of 9 duties');
  } finally {
    reader.release(true);
  }
  expect(await expired()).toBe('2');
  await keep();
  expect(await expired()).toBe('2');
});
