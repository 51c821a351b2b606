import { describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf, nodesOf, openGraphql } from '../support/graphql-api.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the middle of an hour of the past. */
const halfPast = (hoursAgo: number) => new Date(Math.floor(Date.now() / HOUR - hoursAgo) * HOUR + 30 * MINUTE);

const { api, tenant, ask, read } = await openGraphql();
const stranger = await makeTenant(api.services);
const webhookId = (await makeWebhook(api.services, tenant.id)).id;
const otherId = (await makeWebhook(api.services, tenant.id)).id;
await api.owner.query(
  `update hookwright.stats_progress set minutes_until = d, hours_until = d, days_until = d, minutes_from = d, hours_from = d
   from (select date_trunc('day', now() - interval '30 days') as d) as from_`,
);
await write(halfPast(72), 1);
await write(halfPast(26), 2);
await write(halfPast(3), 4, { eventType: 'booking.created' });
await write(halfPast(2), 8, { webhookId: otherId });
await rollUpStats(api.owner);
await write(new Date(), 16);

/** Outcomes of a minute, as a daemon writes them. All take 1.6 to 2.56 ms. */
async function write(
  at: Date,
  successes: number,
  { webhookId: id = webhookId, eventType = 'coupon.applied', failures = 0 } = {},
) {
  await api.owner.query(
    `insert into hookwright.delivery_stats
       (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
     values ($1, $2, $3, 'MINUTE', date_trunc('minute', $4::timestamptz), $5, $6,
             array[0, 0, $7::integer] || array_fill(0, array[21]))`,
    [tenant.id, id, eventType, at, successes, failures, successes + failures],
  );
}

const text = (date: Date) => JSON.stringify(date.toISOString());
const stats = (args: string, by = tenant) =>
  api.by(by).ask(
    `{ stats(${args}) { since until resolution total { attempts successes failures successRate p50Ms p95Ms p99Ms }
         buckets { start attempts successes failures successRate p50Ms p99Ms } } }`,
  );
const statsOf = async (args: string, by = tenant) => dataOf(await stats(args, by)).stats;
const ago = (ms: number) => `since: ${text(new Date(Date.now() - ms))}`;

const attemptsIn = (buckets: { attempts: number }[]) => buckets.map(({ attempts }) => attempts);
const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);

describe('stats', () => {
  test.each([
    ['DAY', 4 * DAY, 31],
    ['HOUR', 4 * DAY, 31],
    ['MINUTE', 20 * HOUR, 28],
  ])('by %s count every attempt once, rolled up or a moment old', async (resolution, age, attempts) => {
    const { total, buckets, ...range } = await statsOf(`${ago(age)}, resolution: ${resolution}`);
    expect(range.resolution).toBe(resolution);
    expect(total).toMatchObject({ attempts, successes: attempts, failures: 0, successRate: 1 });
    expect(sum(attemptsIn(buckets))).toBe(attempts);
  });

  test('have every bucket of the range in order, those of nothing too', async () => {
    const from = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
    const { buckets, since, until } = await statsOf(`since: ${text(new Date(from))}, resolution: HOUR`);
    expect(buckets.map(({ start }: { start: string }) => Date.parse(start))).toEqual(
      Array.from({ length: 6 }, (_, index) => from + index * HOUR),
    );
    expect(attemptsIn(buckets).slice(0, 5)).toEqual([0, 0, 4, 8, 0]);
    expect(buckets[0]).toMatchObject({ successes: 0, failures: 0, successRate: null, p50Ms: null, p99Ms: null });
    expect([Date.parse(since), Date.parse(until)]).toEqual([from, from + 6 * HOUR]);
  });

  test('tell how long attempts took', async () => {
    const { total } = await statsOf(`${ago(4 * DAY)}, resolution: DAY`);
    expect(total.p50Ms).toBeCloseTo(2.1, 1);
    expect(total.p99Ms).toBeLessThanOrEqual(2.6);
    expect(total.p95Ms).toBeGreaterThan(total.p50Ms);
  });

  test.each([
    [`webhookId: "${webhookId}"`, 23],
    [`webhookId: "${otherId}"`, 8],
    ['eventType: "booking.created"', 4],
    [`webhookId: "${webhookId}", eventType: "coupon.applied"`, 19],
    [`webhookId: "${otherId}", eventType: "booking.created"`, 0],
  ])('can be asked for with %s', async (which, attempts) => {
    expect((await statsOf(`${ago(4 * DAY)}, resolution: HOUR, ${which}`)).total.attempts).toBe(attempts);
  });

  test('of each webhook of a page are those that it has by itself', async () => {
    const fields = 'total { attempts failures p95Ms } buckets { start attempts }';
    const until = `until: ${text(new Date())}`;
    for (const args of [
      `${ago(4 * DAY)}, ${until}, resolution: DAY`,
      `${ago(4 * DAY)}, ${until}, resolution: DAY, eventType: "coupon.applied"`,
      `${ago(5 * HOUR)}, ${until}`,
    ]) {
      const page = await read(`{ webhooks(first: 5) { edges { node { id stats(${args}) { ${fields} } } } } }`);
      const nodes = nodesOf(page.webhooks);
      expect(nodes.length).toBeGreaterThan(1);
      for (const { id, stats } of nodes) {
        expect(await read(`{ stats(${args}, webhookId: "${id}") { ${fields} } }`)).toEqual({ stats });
      }
    }
  });

  test('have the same total whether buckets are asked for or not, in a fragment too', async () => {
    const of = `stats(${ago(4 * DAY)}, until: ${text(new Date())}, resolution: HOUR)`;
    const chart = 'fragment Chart on Stats { ... { buckets { attempts } } }';
    const { alone, both } = await read(
      `${chart} { alone: ${of} { total { attempts p99Ms } } both: ${of} { total { attempts p99Ms } ...Chart } }`,
    );
    expect(alone.total).toEqual(both.total);
    expect(both.total).toMatchObject({ attempts: 31 });
    expect(sum(attemptsIn(both.buckets))).toBe(31);
  });

  test('show what was written a moment ago, failures too', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    const of = `${ago(HOUR)}, webhookId: "${id}"`;
    expect((await statsOf(of)).total.attempts).toBe(0);
    await write(new Date(), 1, { webhookId: id, failures: 3 });
    for (const resolution of ['MINUTE', 'HOUR', 'DAY']) {
      const { total } = await statsOf(`${of}, resolution: ${resolution}`);
      expect(total).toMatchObject({ attempts: 4, successes: 1, failures: 3, successRate: 0.25 });
    }
    await api.owner.query('delete from hookwright.delivery_stats where webhook_id = $1', [id]);
  });

  test('of a deleted webhook can still be read', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    await deleteWebhook(api.services.db, tenant.id, id, commandLine);
    expect(codesOf(await stats(`${ago(HOUR)}, webhookId: "${id}"`))).toEqual([]);
  });

  test('of another tenant are its own', async () => {
    const all = await statsOf(`${ago(4 * DAY)}, resolution: HOUR`, stranger);
    expect(all.total).toMatchObject({ attempts: 0, successRate: null, p99Ms: null });
    const typed = await statsOf(`${ago(HOUR)}, resolution: MINUTE, eventType: "coupon.applied"`, stranger);
    expect(typed.total.attempts).toBe(0);
  });
});

/** `test/domain/stats.test.ts` has the limits of ranges. */
describe('stats refuse', () => {
  test('an unknown webhook and one of another tenant alike', async () => {
    const { id: foreign } = await makeWebhook(api.services, stranger.id);
    for (const id of [foreign, 999_999, 'x', '0']) {
      expect(codesOf(await stats(`${ago(HOUR)}, webhookId: "${id}"`)), String(id)).toEqual(['NOT_FOUND']);
    }
  });

  test.each<[string, string, object]>([
    ['a range of the future', ago(-HOUR), { path: ['since'], code: 'out_of_range' }],
    [
      'an unknown event type',
      `${ago(HOUR)}, eventType: "no.such"`,
      { path: ['eventType'], code: 'event_type_unknown' },
    ],
    [
      'more than 1,500 buckets',
      `${ago(26 * HOUR)}, resolution: MINUTE`,
      { path: ['resolution'], code: 'out_of_range' },
    ],
  ])('%s, of all webhooks and of one', async (_name, args, issue) => {
    const refusal = { code: 'BAD_USER_INPUT', errors: [issue] };
    expect((await stats(args)).errors[0].extensions).toMatchObject(refusal);
    const ofOne = await ask(`{ webhook(id: "${webhookId}") { stats(${args}) { total { attempts } } } }`);
    expect(ofOne.errors[0].extensions).toMatchObject(refusal);
  });

  test('a request with charts without number', async () => {
    const chart = `stats(${ago(HOUR)}) { buckets { start } }`;
    const charts = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `s${i}: ${chart}`).join(' ')} }`;
    const ofWebhooks = (first: number) => `{ webhooks(first: ${first}) { edges { node { ${chart} } } } }`;
    for (const query of [charts, ofWebhooks]) {
      expect(codesOf(await ask(query(9)))).toEqual([]);
      expect(codesOf(await ask(query(10)))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    }
  });
});
