import { afterAll, describe, expect, test } from 'vitest';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { sentDuring } from '../support/statements.js';

const POLLS = 100;
const AT_ONCE = 4;

const api = await GraphqlApi.open({ DATABASE_POOL_MAX: '4' });
const tenant = await makeTenant(api.services);
const { id: webhookId } = await makeWebhook(api.services, tenant.id);
await emitMany(api.services, tenant.id, 1);
const { deliveries } = await api
  .by(tenant)
  .read('{ deliveries { edges { node { databaseId event { databaseId } } } } }');
const [{ databaseId: deliveryId, event }] = nodesOf(deliveries);
await api
  .by(tenant)
  .read(
    `mutation { updateWebhook(input: { id: "${webhookId}", name: "0", delivery: { timeoutMs: 1000 } }) { webhook { id } } }`,
  );
afterAll(() => api.close());

/**
 * Each commit adds an attempt to the delivery and a failure to its webhook, holds one more delivery, and writes the step
 * into the options. After twelve it begins again.
 */
const change = `
  with step as (
    select attempt_count % 12 + 1 as n from hookwright.deliveries where id = ${deliveryId}
  ), again as (
    delete from hookwright.attempts using step where delivery_id = ${deliveryId} and n = 1
  ), free as (
    delete from hookwright.deliveries using step where webhook_id = ${webhookId} and status = 'HELD' and n = 1
  ), attempt as (
    insert into hookwright.attempts (tenant_id, delivery_id, number, url, started_at, duration_ms, request_headers)
    select ${tenant.id}, ${deliveryId}, n, 'https://a.example', now(), 1, '{}' from step where n > 1
  ), held as (
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
    select hookwright.next_id(), ${tenant.id}, ${event.databaseId}, ${webhookId}, 'coupon.applied', 'HELD', now()
    from step where n > 1
  ), webhook as (
    update hookwright.webhooks set consecutive_failures = n - 1 from step where id = ${webhookId}
  ), options as (
    insert into hookwright.webhook_options (tenant_id, webhook_id, name, timeout_ms)
    select ${tenant.id}, ${webhookId}, n, n * 1000 from step
    on conflict (webhook_id) do update set name = excluded.name, timeout_ms = excluded.timeout_ms
  )
  update hookwright.deliveries set attempt_count = n from step where id = ${deliveryId}`;

/** Changes without a pause until all polls have been answered. */
async function pollsBeside(poll: () => Promise<void>): Promise<void> {
  let isOver = false;
  await api.owner.query(change);
  const changes = (async () => {
    while (!isOver) {
      await api.owner.query(change);
    }
  })();
  const polls = Array.from({ length: AT_ONCE }, async () => {
    for (let n = 0; n < POLLS / AT_ONCE; n++) {
      await poll();
    }
  });
  await Promise.all(polls).finally(() => {
    isOver = true;
  });
  await changes;
}

describe('beside commits that change several rows, each answer shows what one commit left', () => {
  test('of a delivery, its attempts, its event and its webhook', async () => {
    const query = `{ delivery(id: "${deliveryId}") {
      attemptCount attempts { number }
      webhook { name heldCount backlog { held } delivery { timeoutMs } consecutiveFailures }
      event { deliveries(first: 100) { edges { node { id status } } } }
    } }`;
    const seen = new Set<number>();
    await pollsBeside(async () => {
      const { delivery } = await api.by(tenant).read(query);
      const { attemptCount: n, attempts, webhook } = delivery;
      const held = nodesOf(delivery.event.deliveries).filter(({ status }) => status === 'HELD').length;
      expect({ ...webhook, attempts: attempts.length, held }).toEqual({
        name: String(n),
        heldCount: n - 1,
        backlog: { held: n - 1 },
        delivery: { timeoutMs: n * 1000 },
        consecutiveFailures: n - 1,
        attempts: n - 1,
        held: n - 1,
      });
      seen.add(n);
    });
    expect(seen.size).toBeGreaterThan(6);
  });

  test('of a page of webhooks with their counts', async () => {
    await pollsBeside(async () => {
      const { webhooks } = await api.by(tenant).read('{ webhooks { edges { node { name heldCount } } } }');
      expect(nodesOf(webhooks)).toEqual([
        { name: expect.any(String), heldCount: Number(webhooks.edges[0].node.name) - 1 },
      ]);
    });
  });
});

test('many queries at once, some that search first and some that read first, are all answered', async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const queries = [
    `{ webhook(id: "${webhookId}") { id stats(since: "${since}") { resolution } heldCount } }`,
    `{ stats(since: "${since}") { resolution } webhooks(first: 20) { edges { node { id heldCount } } } }`,
    `{ deliveries(filter: { payloadContains: "SUMMER", since: "${since}" }) { edges { node { attempts { number } } } } }`,
  ];
  for (let burst = 0; burst < 5; burst++) {
    const asked = Array.from({ length: 12 }, (_, n) => api.by(tenant).read(queries[n % queries.length]!));
    expect(await Promise.all(asked)).toHaveLength(12);
  }
  const open = async () => {
    const { rows } = await api.owner.query(
      `select count(*)::int as open from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    );
    return rows;
  };
  // An answer does not wait for the end of its transaction.
  await expect.poll(open).toEqual([{ open: 0 }]);
});

test('a query that one statement answers opens no transaction of its own', async () => {
  const sent = await sentDuring(() => api.by(tenant).read('{ deliveries(first: 1) { edges { node { id status } } } }'));
  expect(sent.filter(({ text }) => text.includes('repeatable read'))).toEqual([]);
});
