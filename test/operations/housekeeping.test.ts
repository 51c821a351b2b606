import { expect, test } from 'vitest';
import { keepHouse } from '../../daemon/housekeeping.js';
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
    await expect(keepHouse({ config, db, log: watchedLog() })).rejects.toThrow('1 of 8 duties');
  } finally {
    reader.release(true);
  }
  expect(await stack.rows('select key from hookwright.idempotency_keys')).toEqual([]);
});
