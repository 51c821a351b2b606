import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { createTestDatabase } from '../support/database.js';
import { openTestServices } from '../support/factories.js';
import { Chance } from './chance.js';
import { tenants } from './endpoints.js';
import { seed } from './seed.js';
import { pastDeliveries, pastEvents } from './simulate.js';

let services: Services;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  services = await openTestServices(database.url);
  await seed(services);
});
afterAll(async () => {
  await services.db.close();
  await drop();
});

const rows = async <Row extends object>(sql: string): Promise<Row[]> => (await services.db.pool.query(sql)).rows;

describe('the seeded installation', () => {
  test('has endpoints in every state that one can be in', async () => {
    const states = await rows<{ state: string }>(
      `select distinct case when disabled_reason is not null then disabled_reason::text
                            when closed_until > now() then 'CLOSED'
                            when consecutive_failures > 0 then 'FAILING'
                            when previous_secret_expires_at > now() then 'ROTATING'
                            when last_success_at is null then 'NEW' else 'HEALTHY' end as state
       from hookwright.webhooks order by 1`,
    );
    expect(states.map(({ state }) => state)).toEqual([
      'CLOSED',
      'FAILING',
      'FAILURES',
      'GONE',
      'HEALTHY',
      'NEW',
      'PAUSED',
      'ROTATING',
    ]);
  });

  test('has deliveries of every outcome, some thousands of them, and nothing of the future', async () => {
    const counted = await rows<{ status: string; count: number }>(
      'select status, count(*)::integer from hookwright.deliveries group by status order by status',
    );
    expect(counted.map(({ status }) => status)).toEqual(['PENDING', 'HELD', 'SUCCEEDED', 'FAILED']);
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(3_000);
    expect(await rows('select from hookwright.attempts where started_at > now()')).toEqual([]);
    expect(await rows('select from hookwright.deliveries where id > hookwright.next_id()')).toEqual([]);
  });

  test('has statistics that agree with its attempts', async () => {
    const [sums] = await rows<{ counted: number; kept: number; days: number }>(
      `select (select sum(successes + failures)::integer from hookwright.delivery_stats
               where resolution = 'MINUTE' and webhook_id <> 0 and event_type <> '') as counted,
              (select count(*)::integer from hookwright.attempts a join hookwright.tenants t on t.id = a.tenant_id
               where t.name not like '<%' and started_at >= (select minutes_from from hookwright.stats_progress)) as kept,
              (select count(distinct bucket)::integer from hookwright.delivery_stats where resolution = 'DAY') as days`,
    );
    expect(sums!.counted).toBe(sums!.kept);
    expect(sums!.days).toBeGreaterThanOrEqual(30);
  });

  test('is the same at each run', () => {
    const now = Date.now();
    const simulate = () => {
      const chance = new Chance(39);
      const events = pastEvents(chance, now, 24, 420);
      const [{ endpoints }] = tenants as [(typeof tenants)[0]];
      const { deliveries, health } = pastDeliveries(chance, now, endpoints[1]!, events);
      const attempts = deliveries.map((delivery) => [delivery.status, delivery.event.body, delivery.attempts]);
      return { bodies: events.map(({ type, body }) => [type, body]), attempts, health };
    };
    expect(simulate()).toEqual(simulate());
  });

  test('has signatures that the secrets of its webhooks make', async () => {
    const { db, vault } = services;
    const { rows: attempts } = await db.pool.query(
      `select a.request_headers, e.body, w.tenant_id::integer, w.id::integer, w.sealed_secret from hookwright.attempts a
       join hookwright.deliveries d on d.id = a.delivery_id join hookwright.events e on e.id = d.event_id
       join hookwright.webhooks w on w.id = d.webhook_id where w.previous_sealed_secret is null limit 20`,
    );
    for (const { request_headers, body, tenant_id, id, sealed_secret } of attempts) {
      const secret = await vault.open(tenant_id, id, sealed_secret);
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      expect(JSON.parse(request_headers)['X-Service-Signature']).toBe(`sha256=${signature}`);
    }
  });
});
