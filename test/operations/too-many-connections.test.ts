import { expect, inject, test } from 'vitest';
import { isDatabaseAway } from '../../src/platform/database/outage.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { onServer } from '../support/on-server.js';

test('what needs a connection that Postgres refuses fails as in an outage, and works once there is room', async () => {
  await using stack = await DeliveryStack.open();
  const limit = (connections: number) =>
    onServer(inject('testPostgres').url, (client) =>
      client.query(`alter database ${new URL(stack.databaseUrl).pathname.slice(1)} connection limit ${connections}`),
    );
  const { em } = stack.services.db.orm;
  const both = async () => {
    const hot = Array.from({ length: 10 }, () => stack.rows('select from pg_sleep(0.1)'));
    const ofOrm = Array.from({ length: 10 }, () => em.fork().execute('select from pg_sleep(0.1)'));
    return await Promise.allSettled([...hot, ...ofOrm]);
  };
  await limit(3);
  const failures = (await both()).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.filter((error) => !isDatabaseAway(error))).toEqual([]);
  await limit(-1);
  await eventually(async () => (await both()).every(({ status }) => status === 'fulfilled'));
});
