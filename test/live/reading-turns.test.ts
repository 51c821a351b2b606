import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { withDatabase } from '../../src/api/graphql/fields/update-stream.js';
import { OpenStreams } from '../../src/api/http/open-streams.js';
import { apiMetrics } from '../../src/platform/telemetry/api-metrics.js';
import { eventually } from '../support/eventually.js';
import { keptLog } from '../support/kept-log.js';
import { LiveApi } from '../support/live-api.js';
import { openTransaction } from '../support/locks.js';

test('a tenant whose updates take long to read keeps no other waiting, however many streams it has', async () => {
  const streams = new OpenStreams({} as Services);
  const { promise: longRead, resolve: end } = Promise.withResolvers<void>();
  let slowOnes = 0;
  const slow = Array.from({ length: 5 }, () =>
    streams.read(1, () => {
      slowOnes += 1;
      return longRead;
    }),
  );
  await streams.read(2, async () => {});
  expect(slowOnes).toBe(1);
  end();
  await Promise.all(slow);
  expect(slowOnes).toBe(5);
});

test('what is read for a stream that has ended is not tried again', async () => {
  const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw away;
  };
  await expect(withDatabase(work, () => tries === 2)).rejects.toBe(away);
  expect(tries).toBe(2);
});

test('an update that takes too long to read says so, and the stream goes on', async () => {
  await using live = await LiveApi.open();
  await live.stack.webhook('https://receiver.example.com/');
  const stream = await live.follow('subscription { deliveryUpdated { delivery { id webhook { url } } } }');
  await using blocker = await openTransaction(live.stack.databaseUrl);
  await live.stack.emit();
  await blocker.session.query('lock table hookwright.webhooks');
  await eventually(async () => {
    const waiting = await live.stack.rows<{ pg_cancel_backend: boolean }>(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await eventually(() => stream.errors.length > 0);
  expect(stream.errors[0]).toMatchObject({ extensions: { code: 'UNAVAILABLE' } });
  await blocker.letGo();
  await live.stack.emit();
  await eventually(() => stream.updates.some(({ delivery }) => delivery?.webhook?.url));
});

test('an update that cannot be made says so, and the log has the cause once', async () => {
  const { log, lines } = keptLog('warn');
  const registry = new Registry();
  await using live = await LiveApi.open({}, {}, { log, metrics: apiMetrics(registry) });
  await live.stack.webhook('https://receiver.example.com/');
  const document = 'subscription { deliveryUpdated { delivery { a: webhook { url } b: webhook { url } } } }';
  const stream = await live.follow(document, {}, { headers: { 'x-request-id': 'mine' } });
  await live.stack.rows('alter table hookwright.webhooks rename column url to address');
  await live.stack.rows(
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
     select hookwright.next_id(), tenant_id, 1, id, 'coupon.applied', 'HELD' from hookwright.webhooks`,
  );
  await eventually(() => stream.errors.length > 0);
  expect(stream.errors[0]).toMatchObject({ extensions: { code: 'INTERNAL_SERVER_ERROR' } });
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'a request failed',
      requestId: 'mine',
      err: expect.objectContaining({ message: expect.stringContaining('url') }),
    }),
  ]);
  expect(await registry.metrics()).toMatch(/^hookwright_graphql_errors_total\{code="INTERNAL_SERVER_ERROR"\} [1-9]/m);
});
