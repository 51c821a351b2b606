import { afterAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the middle of an hour of the past. */
const halfPast = (hoursAgo: number) => new Date(Math.floor(Date.now() / HOUR - hoursAgo) * HOUR + 30 * MINUTE);

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
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
afterAll(() => api.close());

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
const ask = (args: string, as: { key: string } = tenant) =>
  api.ask(
    `{ stats(${args}) { since until resolution total { attempts successes failures successRate p50Ms p95Ms p99Ms }
       buckets { start attempts successes failures successRate p50Ms p99Ms } } }`,
    {},
    as,
  );
const ago = (ms: number) => `since: ${text(new Date(Date.now() - ms))}`;

interface Bucket {
  start: string;
  attempts: number;
}

describe('stats', () => {
  test.each([
    ['DAY', 4 * DAY, 31],
    ['HOUR', 4 * DAY, 31],
    ['MINUTE', 20 * HOUR, 28],
  ])('by %s count every attempt once, rolled up or a moment old', async (resolution, age, attempts) => {
    const { data, errors } = await ask(`${ago(age)}, resolution: ${resolution}`);
    expect(errors).toEqual([]);
    expect(data.stats.resolution).toBe(resolution);
    expect(data.stats.total).toMatchObject({ attempts, successes: attempts, failures: 0, successRate: 1 });
    const { buckets } = data.stats as { buckets: Bucket[] };
    expect(buckets.reduce((sum, one) => sum + one.attempts, 0)).toBe(attempts);
  });

  test('have every bucket of the range in order, those of nothing too', async () => {
    const from = new Date(Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR);
    const { data } = await ask(`since: ${text(from)}, resolution: HOUR`);
    const { buckets, since, until } = data.stats as { buckets: Bucket[]; since: string; until: string };
    expect(buckets.map(({ start }) => Date.parse(start))).toEqual(
      Array.from({ length: 6 }, (_, index) => from.getTime() + index * HOUR),
    );
    expect(buckets.slice(0, 5).map(({ attempts }) => attempts)).toEqual([0, 0, 4, 8, 0]);
    expect(buckets[0]).toMatchObject({ successes: 0, failures: 0, successRate: null, p50Ms: null, p99Ms: null });
    expect([Date.parse(since), Date.parse(until)]).toEqual([from.getTime(), from.getTime() + 6 * HOUR]);
  });

  test('tell how long attempts took', async () => {
    const { data } = await ask(`${ago(4 * DAY)}, resolution: DAY`);
    expect(data.stats.total.p50Ms).toBeCloseTo(2.1, 1);
    expect(data.stats.total.p99Ms).toBeLessThanOrEqual(2.6);
    expect(data.stats.total.p95Ms).toBeGreaterThan(data.stats.total.p50Ms);
  });

  test('can be asked for of a webhook, of an event type, and of both', async () => {
    const attempts = async (args: string) =>
      (await ask(`${ago(4 * DAY)}, resolution: HOUR, ${args}`)).data.stats.total.attempts;
    expect(await attempts(`webhookId: "${webhookId}"`)).toBe(23);
    expect(await attempts(`webhookId: "${otherId}"`)).toBe(8);
    expect(await attempts('eventType: "booking.created"')).toBe(4);
    expect(await attempts(`webhookId: "${webhookId}", eventType: "coupon.applied"`)).toBe(19);
    expect(await attempts(`webhookId: "${otherId}", eventType: "booking.created"`)).toBe(0);
  });

  test('of each webhook of a page are those that it has by itself', async () => {
    const fields = 'total { attempts failures p95Ms } buckets { start attempts }';
    const until = `until: ${text(new Date())}`;
    for (const args of [
      `${ago(4 * DAY)}, ${until}, resolution: DAY`,
      `${ago(4 * DAY)}, ${until}, resolution: DAY, eventType: "coupon.applied"`,
      `${ago(5 * HOUR)}, ${until}`,
    ]) {
      const page = await api.ask(
        `{ webhooks(first: 5) { edges { node { id stats(${args}) { ${fields} } } } } }`,
        {},
        tenant,
      );
      expect(page.errors).toEqual([]);
      const nodes = page.data.webhooks.edges.map(({ node }: { node: object }) => node);
      expect(nodes.length).toBeGreaterThan(1);
      for (const { id, stats } of nodes) {
        const alone = await api.ask(`{ stats(${args}, webhookId: "${id}") { ${fields} } }`, {}, tenant);
        expect(stats).toEqual(alone.data.stats);
      }
    }
  });

  test('have the same total whether buckets are asked for or not, in a fragment too', async () => {
    const of = `stats(${ago(4 * DAY)}, until: ${text(new Date())}, resolution: HOUR)`;
    const chart = 'fragment Chart on Stats { ... { buckets { attempts } } }';
    const { data, errors } = await api.ask(
      `${chart} { alone: ${of} { total { attempts p99Ms } } both: ${of} { total { attempts p99Ms } ...Chart } }`,
      {},
      tenant,
    );
    expect(errors).toEqual([]);
    const { total, buckets } = data.both as { total: object; buckets: Bucket[] };
    expect(data.alone.total).toEqual(total);
    expect(total).toMatchObject({ attempts: 31 });
    expect(buckets.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(31);
  });

  test('show what was written a moment ago, failures too', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    const of = `webhookId: "${id}"`;
    expect((await ask(`${ago(HOUR)}, ${of}`)).data.stats.total.attempts).toBe(0);
    await write(new Date(), 1, { webhookId: id, failures: 3 });
    for (const resolution of ['MINUTE', 'HOUR', 'DAY']) {
      const { data } = await ask(`${ago(HOUR)}, ${of}, resolution: ${resolution}`);
      expect(data.stats.total).toMatchObject({ attempts: 4, successes: 1, failures: 3, successRate: 0.25 });
    }
    await api.owner.query('delete from hookwright.delivery_stats where webhook_id = $1', [id]);
  });

  test('of a deleted webhook can still be read', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    await deleteWebhook(api.services.db, tenant.id, id, commandLine);
    expect(codesOf(await ask(`${ago(HOUR)}, webhookId: "${id}"`))).toEqual([]);
  });
});

describe('stats refuse', () => {
  const refusal = async (args: string) => {
    const { errors } = await ask(args);
    return errors[0]?.extensions;
  };

  test('an unknown webhook and one of another tenant alike', async () => {
    const { id: foreign } = await makeWebhook(api.services, stranger.id);
    for (const id of [foreign, 999_999, 'x', '0']) {
      expect(codesOf(await ask(`${ago(HOUR)}, webhookId: "${id}"`)), String(id)).toEqual(['NOT_FOUND']);
    }
  });

  test('for a webhook what they refuse for all', async () => {
    const of = async (args: string) => {
      const { errors } = await api.ask(
        `{ webhook(id: "${webhookId}") { stats(${args}) { total { attempts } } } }`,
        {},
        tenant,
      );
      return errors[0]?.extensions;
    };
    expect(await of(`${ago(-HOUR)}`)).toMatchObject({ errors: [{ path: ['since'], code: 'out_of_range' }] });
    expect(await of(`${ago(HOUR)}, eventType: "no.such"`)).toMatchObject({ errors: [{ path: ['eventType'] }] });
  });

  test('an unknown event type', async () => {
    const { code, errors } = await refusal(`${ago(HOUR)}, eventType: "no.such"`);
    expect(code).toBe('BAD_USER_INPUT');
    expect(errors).toMatchObject([{ path: ['eventType'], code: 'event_type_unknown' }]);
  });

  test('more than 1,500 buckets, and ranges that end before they begin', async () => {
    const minutes = (count: number) => {
      const since = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - 26 * HOUR);
      return `since: ${text(since)}, until: ${text(new Date(since.getTime() + count * MINUTE))}, resolution: MINUTE`;
    };
    expect((await ask(minutes(1500))).data.stats.buckets).toHaveLength(1500);
    expect(await refusal(minutes(1501))).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['resolution'], code: 'out_of_range' }],
    });
    expect(await refusal(minutes(0))).toMatchObject({ errors: [{ path: ['until'] }] });
  });

  test('ranges of which nothing is kept any more', async () => {
    expect(
      codesOf(await ask(`${ago(48 * HOUR)}, until: ${text(new Date(Date.now() - 30 * HOUR))}, resolution: MINUTE`)),
    ).toEqual([]);
    expect(
      await refusal(`${ago(50 * HOUR)}, until: ${text(new Date(Date.now() - 30 * HOUR))}, resolution: MINUTE`),
    ).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['since'], detail: expect.stringContaining('minutes are kept for 2 days') }],
    });
  });

  test('a request with charts without number', async () => {
    const charts = (count: number) =>
      `{ ${Array.from({ length: count }, (_, i) => `s${i}: stats(${ago(HOUR)}) { buckets { start } }`).join(' ')} }`;
    expect(codesOf(await api.ask(charts(9), {}, tenant))).toEqual([]);
    expect(codesOf(await api.ask(charts(10), {}, tenant))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    const ofWebhooks = (first: number) =>
      `{ webhooks(first: ${first}) { edges { node { stats(${ago(HOUR)}) { buckets { start } } } } } }`;
    expect(codesOf(await api.ask(ofWebhooks(9), {}, tenant))).toEqual([]);
    expect(codesOf(await api.ask(ofWebhooks(10), {}, tenant))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });
});

test('another tenant sees nothing of it', async () => {
  const { data } = await ask(`${ago(4 * DAY)}, resolution: HOUR`, stranger);
  expect(data.stats.total).toMatchObject({ attempts: 0, successRate: null, p99Ms: null });
  const typed = await ask(`${ago(HOUR)}, resolution: MINUTE, eventType: "coupon.applied"`, stranger);
  expect(typed.data.stats.total.attempts).toBe(0);
});
