import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import type { EventFilter } from '../../src/domain/content/filter.js';
import { FilteredEvent } from '../../src/domain/content/judge-filter.js';
import { deliveryContents } from '../../src/operations/explorer/read-sent-contents.js';
import { futureTimesSql } from '../../src/operations/installation/future-times.js';
import { wakeLeftTurns } from '../../src/operations/ordering/left-turns.js';
import { Conversions } from '../../src/operations/releases/conversions.js';
import { createTestDatabase } from '../support/database.js';
import { openTestServices } from '../support/factories.js';
import { Chance } from './chance.js';
import { tenants } from './endpoints.js';
import { seed } from './seed.js';
import { pastDeliveries, pastEvents } from './simulate.js';

let services: Services;
let tenantId: number;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  services = await openTestServices(database.url);
  tenantId = (await seed(services)).tenants[0]!.id;
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
    expect(counted.map(({ status }) => status)).toEqual(['PENDING', 'HELD', 'SUCCEEDED', 'FAILED', 'WAITING']);
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(3_000);
    expect(await rows('select from hookwright.attempts where started_at > now()')).toEqual([]);
    expect(await rows('select from hookwright.deliveries where id > hookwright.next_id()')).toEqual([]);
    expect(await rows(`select ${futureTimesSql} as count`)).toEqual([{ count: 0 }]);
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

  test('has filters that leave events out, a format, shapes, and an order with a blocked key', async () => {
    const [webhooks] = await rows<Record<string, number>>(
      `select count(filter)::integer as filters, count(format)::integer as formats, count(shape)::integer as shapes
       from hookwright.webhook_options join hookwright.tenants t on t.id = tenant_id where t.name not like '<%'`,
    );
    expect(webhooks).toEqual({ filters: 2, formats: 1, shapes: 2 });
    const missed = await rows<{ filter: EventFilter; event_type: string; body: string }>(
      `select o.filter, e.event_type, e.body from hookwright.webhook_options o
       join hookwright.webhooks w on w.id = o.webhook_id join hookwright.events e on e.tenant_id = w.tenant_id
       where o.filter is not null and e.event_type = any(w.event_types) and not exists (
         select from hookwright.deliveries d where d.webhook_id = w.id and d.event_id = e.id)`,
    );
    expect(missed.length).toBeGreaterThan(50);
    for (const { filter, event_type, body } of missed) {
      expect(new FilteredEvent(event_type, body).failedCondition(filter)).not.toBeNull();
    }
  });

  test('has keys with deliveries that wait, for one that has failed or is tried again', async () => {
    const keys = await rows<{ key: string; head: string; waiting: number }>(
      `select q.key, (array_agg(d.status::text order by position))[1] as head, count(*)::integer - 1 as waiting
       from hookwright.ordering_queue q join hookwright.deliveries d on d.id = q.delivery_id
       join hookwright.tenants t on t.id = q.tenant_id where t.name not like '<%'
       group by q.webhook_id, q.key having count(*) > 1 order by q.key`,
    );
    expect(keys).toEqual([
      { key: 'Alpenruh', head: 'PENDING', waiting: expect.any(Number) },
      { key: 'Isla', head: 'FAILED', waiting: expect.any(Number) },
    ]);
    expect(await wakeLeftTurns(services.db.pool)).toBe(0);
  });

  test('has signatures that the secrets of its webhooks make', async () => {
    const { db, vault } = services;
    const some = (which: string) => `
      (select a.request_headers, d.id, w.id::integer as webhook_id, w.sealed_secret
       from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id
       join hookwright.webhooks w on w.id = d.webhook_id
       where w.previous_sealed_secret is null and w.tenant_id = ${tenantId} and d.content_id ${which} order by a.number, d.id
       limit 20)`;
    const attempts = await rows<{ request_headers: string; id: number; webhook_id: number; sealed_secret: Buffer }>(
      `${some('is null')} union all ${some('is not null')}`,
    );
    const ids = attempts.map(({ id }) => id);
    const rules = { cloudEventsSource: undefined, publicUrl: undefined, payloadBytesMax: 262_144 };
    const contents = await deliveryContents(rules, new Conversions(db)).read(db, tenantId, ids);
    for (const { request_headers, id, webhook_id, sealed_secret } of attempts) {
      const secret = await vault.open(tenantId, webhook_id, sealed_secret);
      const signature = createHmac('sha256', secret).update(contents.get(id)!.sent!.body).digest('hex');
      expect(JSON.parse(request_headers)['X-Service-Signature']).toBe(`sha256=${signature}`);
    }
  });
});
