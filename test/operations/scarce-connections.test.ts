import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { openTestServices } from '../support/factories.js';
import { onServer } from '../support/on-server.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

describe('a database that allows fewer connections than the pools may have', () => {
  let stack: DeliveryStack;
  let receiver: Receiver;
  beforeEach(async () => {
    stack = await DeliveryStack.open();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await stack[Symbol.asyncDispose]();
    await receiver.close();
  });

  const limit = (connections: number) =>
    onServer(inject('testPostgres').url, (client) =>
      client.query(`alter database ${new URL(stack.databaseUrl).pathname.slice(1)} connection limit ${connections}`),
    );
  const busy = (n: number) => stack.rows<{ n: number }>(`select ${n} as n from pg_sleep(0.02)`);

  test('serves all that wait for one of them, by hot statements and by the ORM', async () => {
    await limit(5);
    const hot = Array.from({ length: 100 }, (_, n) => busy(n));
    const { em } = stack.services.db.orm;
    const others = Array.from({ length: 30 }, () => em.fork().execute('select 1 as n from pg_sleep(0.02)'));
    const results = await Promise.allSettled([...hot, ...others]);
    expect(results.flatMap((one, n) => (one.status === 'rejected' ? [`${n}: ${one.reason}`] : []))).toEqual([]);
  });

  test('lets its pools grow again when there is room', async () => {
    await limit(3);
    await Promise.all(Array.from({ length: 20 }, (_, n) => busy(n)));
    expect(stack.services.db.pool.totalCount).toBeLessThanOrEqual(3);
    await limit(-1);
    await eventually(async () => {
      await Promise.all(Array.from({ length: 20 }, (_, n) => busy(n)));
      return stack.services.db.pool.totalCount > 3;
    }, 30_000);
  });

  test('has some for a daemon, though an API of the same process has taken all', async () => {
    await stack.webhook(receiver.url);
    await limit(8);
    await stack.emit();
    await Promise.all(Array.from({ length: 30 }, (_, n) => busy(n)));
    expect(stack.services.db.pool.totalCount).toBeGreaterThan(6);
    const services = await openTestServices(stack.databaseUrl, {
      settings: { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' },
    });
    const daemon = new Daemon({ ...stack.services, db: services.db });
    try {
      await eventually(() => receiver.received.length === 1, 30_000);
    } finally {
      await daemon.stop();
      await services.db.close();
    }
  });
});
