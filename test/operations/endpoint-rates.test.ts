import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { burstOf, everyMsOf, TAKEN_AHEAD_MS } from '../../src/domain/pacing/request-rate.js';
import { type GrantedTimes, takeTimes } from '../../src/operations/attempts/endpoint-rates.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { makeWebhook, openTestServices } from '../support/factories.js';

/** Postgres counts microseconds. */
const ROUNDED_MS = 0.01;
const RATES = [0.01, 0.5, 7, 10, 33, 250, 1_000];

let services: Services;
let drop: () => Promise<void>;
let webhookIds: number[];
beforeAll(async () => {
  const { url, drop: dropIt } = await createTestDatabase();
  drop = dropIt;
  services = await openTestServices(url);
  const { id: tenantId } = await createTenant(services.db, services.vault, 'tenant', commandLine);
  const make = () => makeWebhook(services, tenantId, { url: 'https://a.example/', eventTypes: ['*'] });
  webhookIds = (await Promise.all([...RATES, 0, 0, 0].map(make))).map(({ id }) => id);
});
afterAll(async () => {
  await services.db.close();
  await drop();
});

const take = (webhookId: number, perSecond: number, wanted: number, back = { givenBack: 0, nextMs: 0 }) =>
  takeTimes(services.db.pool, [{ webhookId, perSecond, wanted, ...back, lateMs: 0 }]);
const timesOf = ({ firstMs, count }: GrantedTimes, perSecond: number) =>
  Array.from({ length: count }, (_, index) => firstMs + index * everyMsOf(perSecond));

test('daemons that take as many times as they get have them 1 ÷ rate apart, and none too far ahead', async () => {
  const times = RATES.map((): number[] => []);
  const endsAtMs = performance.now() + 1_500;
  const takeOn = async () => {
    while (performance.now() < endsAtMs) {
      const wanted = RATES.map((perSecond, index) => ({
        webhookId: webhookIds[index]!,
        perSecond,
        wanted: Math.floor(1 + Math.random() * 2 * perSecond),
        givenBack: 0,
        nextMs: 0,
        lateMs: 0,
      }));
      for (const granted of await takeTimes(services.db.pool, wanted)) {
        const index = webhookIds.indexOf(granted.webhookId);
        const taken = timesOf(granted, RATES[index]!);
        expect(taken.at(-1) ?? 0).toBeLessThanOrEqual(granted.nowMs + TAKEN_AHEAD_MS + ROUNDED_MS);
        times[index]!.push(...taken);
      }
      await delay(Math.random() * 60);
    }
  };
  await Promise.all([takeOn(), takeOn(), takeOn()]);
  for (const [index, perSecond] of RATES.entries()) {
    const sorted = times[index]!.toSorted((a, b) => a - b);
    const closest = Math.min(...sorted.slice(1).map((time, n) => time - sorted[n]!));
    expect(closest, `${perSecond}/s`).toBeGreaterThanOrEqual(everyMsOf(perSecond) - ROUNDED_MS);
    const seconds = (sorted.at(-1)! - sorted[0]!) / 1_000;
    expect(sorted.length, `${perSecond}/s`).toBeLessThanOrEqual(seconds * perSecond + burstOf(perSecond) + ROUNDED_MS);
    expect(sorted.length, `${perSecond}/s`).toBeGreaterThanOrEqual(Math.max(1, Math.floor(seconds * perSecond)));
  }
});

test('after a pause as many may begin at once as a tenth of a second allows', async () => {
  const webhookId = webhookIds.at(-1)!;
  expect(await take(webhookId, 100, 1)).toEqual([]); // its row is made
  const [granted] = await take(webhookId, 100, 1_000);
  const late = timesOf(granted!, 100).filter((time) => time <= granted!.nowMs + ROUNDED_MS);
  expect(late).toHaveLength(burstOf(100));
});

test('times that were not used are free again, unless another daemon has taken later ones', async () => {
  const webhookId = webhookIds.at(-3)!;
  await take(webhookId, 0.1, 1);
  const [first] = await take(webhookId, 0.1, 1);
  expect(first).toMatchObject({ count: 1 });
  const [wrong] = await take(webhookId, 0.1, 1, { givenBack: 1, nextMs: first!.nextMs - 1 });
  expect(wrong).toMatchObject({ count: 0 });
  const [again] = await take(webhookId, 0.1, 1, { givenBack: 1, nextMs: first!.nextMs });
  expect(again).toMatchObject({ count: 1 });
  expect(again!.firstMs - first!.firstMs).toBeLessThan(1_000);
});

test('a rate that rises, and a clock that goes back, do not leave an endpoint waiting', async () => {
  const webhookId = webhookIds.at(-2)!;
  await take(webhookId, 0.01, 1);
  expect((await take(webhookId, 0.01, 5))[0]).toMatchObject({ count: 1 });
  const [slow] = await take(webhookId, 0.01, 5);
  expect(slow!.count).toBe(0);
  expect(slow!.nextMs - slow!.nowMs).toBeGreaterThan(90_000);
  const soonMs = TAKEN_AHEAD_MS + everyMsOf(10) + ROUNDED_MS;
  const [risen] = await take(webhookId, 10, 5);
  expect(risen!.nextMs - risen!.nowMs).toBeLessThanOrEqual(soonMs);
  await services.db.pool.query(`update hookwright.endpoint_rates set next_at = now() + interval '1 hour'`);
  const [setBack] = await take(webhookId, 10, 5);
  expect(setBack!.nextMs - setBack!.nowMs).toBeLessThanOrEqual(soonMs);
  const { rows } = await services.db.pool.query(
    `select next_at < now() + interval '1 s' as healed from hookwright.endpoint_rates where webhook_id = $1`,
    [webhookId],
  );
  expect(rows[0].healed, 'the row itself, so that there are times again').toBe(true);
});

test('an endpoint and its tenant both wait no longer, when a clock that was wrong has left their rows ahead', async () => {
  const { id: tenantId } = await createTenant(services.db, services.vault, 'set back', commandLine);
  const { id: webhookId } = await makeWebhook(services, tenantId, { url: 'https://a.example/', eventTypes: ['*'] });
  const one = { webhookId, perSecond: 20, wanted: 5, givenBack: 0, nextMs: 0, lateMs: 0 };
  const ask = () => takeTimes(services.db.pool, [{ ...one, ofTenant: { tenantId, perSecond: 20, givenBack: 0 } }]);
  await ask();
  await services.db.pool.query(
    `with tenants as (update hookwright.tenant_rates set requests_next_at = now() + interval '1 day'
                      where tenant_id = $1)
     update hookwright.endpoint_rates set next_at = now() + interval '1 day' where webhook_id = $2`,
    [tenantId, webhookId],
  );
  await ask();
  await eventually(async () => expect((await ask())[0]!.count).toBeGreaterThan(0));
});

test('endpoints of a tenant with a rate have its requests together, and what one does not use is for the others', async () => {
  const { id: tenantId } = await createTenant(services.db, services.vault, 'limited', commandLine);
  const make = () => makeWebhook(services, tenantId, { url: 'https://a.example/', eventTypes: ['*'] });
  const ids = (await Promise.all([make(), make(), make()])).map(({ id }) => id);
  const ask = (wanted: number, givenBack = 0) =>
    takeTimes(
      services.db.pool,
      ids.map((webhookId, index) => ({
        ...{ webhookId, perSecond: index === 0 ? 4 : 10, wanted, givenBack: 0, nextMs: 0, lateMs: 0 },
        ofTenant: { tenantId, perSecond: 10, givenBack: index === 0 ? givenBack : 0 },
      })),
    );
  const countOf = (granted: GrantedTimes[]) => granted.reduce((sum, { count }) => sum + count, 0);
  expect(await ask(1), 'the rows are made').toEqual([]);
  const granted = (await ask(100)).toSorted((a, b) => a.webhookId - b.webhookId);
  const mostAhead = (TAKEN_AHEAD_MS * 10) / 1_000 + 1;
  expect(countOf(granted)).toBeLessThanOrEqual(mostAhead);
  expect(countOf(granted)).toBeGreaterThanOrEqual(mostAhead - 2);
  expect(granted[0]!.count, 'its own rate').toBeLessThanOrEqual(3);
  expect(countOf(await ask(100))).toBeLessThanOrEqual(1);
  const again = countOf(await ask(100, 3));
  expect(again).toBeGreaterThanOrEqual(3);
  expect(again).toBeLessThanOrEqual(4);
  await services.db.pool.query(`update hookwright.tenant_rates set requests_next_at = now() + interval '1 day'`);
  await ask(100);
  const { rows } = await services.db.pool.query(
    `select requests_next_at < now() + interval '1 s' as healed from hookwright.tenant_rates where tenant_id = $1`,
    [tenantId],
  );
  expect(rows[0].healed, 'a row that a wrong clock has left').toBe(true);
});
