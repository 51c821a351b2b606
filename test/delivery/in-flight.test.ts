import { expect, test } from 'vitest';
import { lockWebhooks } from '../../src/operations/attempts/update-health.js';
import { transaction } from '../../src/platform/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';

test('no transaction is open while a request is in flight', async () => {
  await using stack = await DeliveryStack.open();
  const hung = await stack.endpoint(() => {});
  stack.startDaemon();
  await stack.emit();
  await eventually(() => hung.received.length === 1);
  await eventually(async () => {
    const open = await stack.rows<{ query: string }>(
      `select query from pg_stat_activity
       where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
    );
    expect(open).toEqual([]);
    return true;
  });
  expect(await stack.deliveries()).toMatchObject([{ status: 'PENDING', attempt_count: 0 }]);
});

test('webhooks at one origin share its limit of requests in flight', async () => {
  await using stack = await DeliveryStack.open({ ORIGIN_CONCURRENCY_MAX: '3' });
  const receiver = await stack.endpoint((_, response) => setTimeout(() => response.writeHead(200).end(), 20));
  for (const path of ['a', 'b']) {
    await stack.webhook(new URL(path, receiver.url).href);
  }
  stack.startDaemon();
  await stack.emits(20);
  await stack.succeeded(60);
  expect(receiver.inFlightPeak).toBe(3);
});

test('outcomes lock webhooks in the order of their ids, so that two batches cannot wait for each other', async () => {
  await using stack = await DeliveryStack.open();
  const { pool } = stack.services.db;
  const [a, b] = [
    (await stack.webhook('https://a.example.com/')).id,
    (await stack.webhook('https://b.example.com/')).id,
  ];
  const other = await pool.connect();
  await other.query('begin');
  await lockWebhooks(other, [a]);
  const waiting = transaction(pool, (client) => lockWebhooks(client, [b, a]));
  await eventually(async () => (await stack.rows(lockWaits)).length > 0);
  const free = await other.query('select id from hookwright.webhooks where id = $1 for update skip locked', [b]);
  expect(free.rows).toEqual([{ id: b }]); // who waits for the first one has not locked the second
  await other.query('commit');
  other.release();
  expect((await waiting).map(({ id }) => id)).toEqual([a, b]);
});
