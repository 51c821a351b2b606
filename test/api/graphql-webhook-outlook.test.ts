import { describe, expect, test } from 'vitest';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, nodesOf, openGraphql } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { statementsOf } from '../support/statements.js';

const { api, tenant, ask, read } = await openGraphql();
const webhookId = (await makeWebhook(api.services, tenant.id, { url: 'https://Shop.example.com/100%' })).id;
await api.owner.query(
  `insert into hookwright.delivery_stats
     (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
   select $1, $2, 'coupon.applied', 'MINUTE', date_trunc('minute', now()), 2, 3, array_fill(0, array[23]) || array[5]`,
  [tenant.id, webhookId],
);
await emitMany(api.services, tenant.id, 4);
await api.owner.query(
  `update hookwright.deliveries d set due_at = now() + n * interval '1 minute',
     last_error_code = case n when 1 then 'TIMEOUT' when 4 then null else 'HTTP_500' end
   from (select id, row_number() over (order by id desc) as n from hookwright.deliveries) numbered
   where numbered.id = d.id`,
);

const webhook = async (selection: string) => (await read(`{ webhook(id: "${webhookId}") { ${selection} } }`)).webhook;

describe('a webhook', () => {
  test('has its last 24 hours, up to the one that is running', async () => {
    const { lastDay } = await webhook('lastDay { start attempts successes failures }');
    expect(lastDay).toHaveLength(24);
    expect(lastDay.at(-1)).toMatchObject({ attempts: 5, successes: 2, failures: 3 });
    expect(lastDay.slice(0, -1).every(({ attempts }: { attempts: number }) => attempts === 0)).toBe(true);
    expect(Date.parse(lastDay[23].start) - Date.parse(lastDay[0].start)).toBe(23 * 3_600_000);
  });

  test('counts why its newest deliveries failed last', async () => {
    expect(await webhook('failures { errorCode deliveries }')).toEqual({
      failures: [
        { errorCode: 'HTTP_500', deliveries: 2 },
        { errorCode: 'TIMEOUT', deliveries: 1 },
      ],
    });
  });

  test('names the attempts that are planned, the soonest first', async () => {
    const all = (await webhook('nextAttempts { id nextAttemptAt }')).nextAttempts;
    expect(all).toHaveLength(4);
    const times = all.map(({ nextAttemptAt }: { nextAttemptAt: string }) => Date.parse(nextAttemptAt));
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
    expect((await webhook('nextAttempts(first: 1) { id }')).nextAttempts).toEqual([{ id: all[0].id }]);
    const wrong = await ask(`{ webhook(id: "${webhookId}") { nextAttempts(first: 51) { id } } }`);
    expect(codesOf(wrong)).toEqual(['BAD_USER_INPUT']);
  });

  test('is found by a part of its url', async () => {
    const query = 'query ($search: String) { webhooks(filter: {search: $search}) { edges { node { id } } } }';
    const find = async (search: string) => nodesOf((await read(query, { search })).webhooks).map(({ id }) => id);
    expect(await find('SHOP')).toEqual([gid.webhook(webhookId)]);
    expect(await find('0%')).toEqual([gid.webhook(webhookId)]);
    expect(await find('_')).toEqual([]);
  });

  test('is found page by page among very many others', async () => {
    const owner = await makeTenant(api.services);
    await api.owner.query(
      `insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret)
       select $1, 'https://shop.example.com/' || case when n % 400 = 0 then 'rare' else 'often' end, '{*}', ''
       from generate_series(1, 2400) n`,
      [owner.id],
    );
    const query = `query ($search: String, $first: Int, $after: String, $last: Int, $before: String) {
      webhooks(filter: {search: $search}, first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } } }`;
    const page = async (args: Record<string, unknown>) => (await api.ask(query, args, owner)).data.webhooks;
    const all = nodesOf(await page({ search: 'rare', first: 100 })).map(({ id }) => id);
    expect(all).toHaveLength(6);
    for (const [ahead, size] of [
      ['after', 'first'],
      ['before', 'last'],
    ] as const) {
      const found: string[] = [];
      let cursor: string | undefined;
      for (let more = true; more; ) {
        const { edges, pageInfo } = await page({ search: 'RARE', [size]: 4, [ahead]: cursor });
        const ids = edges.map(({ node }: { node: { id: string } }) => node.id);
        found.splice(size === 'first' ? found.length : 0, 0, ...ids);
        cursor = edges.at(size === 'first' ? -1 : 0).cursor;
        more = size === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
      }
      expect(found).toEqual(all);
    }
    expect(nodesOf(await page({ search: 'shop', first: 100 }))).toHaveLength(100);
    expect(nodesOf(await page({ search: 'nowhere' }))).toEqual([]);
  });

  test('of a list of 50 has them by one statement each', async () => {
    for (let n = 0; n < 5; n += 1) {
      await makeWebhook(api.services, tenant.id);
    }
    const query =
      '{ webhooks(first: 50) { edges { node { lastDay { attempts } failures { errorCode } backlog { due } } } } }';
    await read(query);
    expect(await statementsOf(() => read(query))).toHaveLength(4);
  });
});

test('an event says how many bytes its body has', async () => {
  const { events } = await read('{ events(first: 1) { edges { node { body bodyBytes } } } }');
  const { body, bodyBytes } = events.edges[0].node;
  expect(bodyBytes).toBe(Buffer.byteLength(body));
});
