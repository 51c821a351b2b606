import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open({ SEARCH_TIMEOUT_MS: '1000', DATABASE_POOL_MAX: '4' });
const tenant = await makeTenant(api.services);
await makeWebhook(api.services, tenant.id);
afterAll(() => api.close());

const daysAgo = (days: number) => JSON.stringify(new Date(Date.now() - days * 86_400_000).toISOString());
const statsOf = (days: number) => `stats(since: ${daysAgo(days)}, resolution: HOUR) { total { attempts } }`;
const ask = (query: string) => api.ask(query, {}, tenant);

/** While nobody can read statistics. */
async function withLock(work: () => Promise<void>): Promise<void> {
  const blocker = await api.owner.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table hookwright.delivery_stats');
    await work();
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
}

async function sumsUnderWay(): Promise<number> {
  const { rows } = await api.owner.query(
    `select count(*)::integer as sums from pg_locks
     where relation = 'hookwright.delivery_stats'::regclass and not granted`,
  );
  return rows[0].sums;
}

test('are read two at a time, and leave connections to everything else', async () => {
  const asked: ReturnType<typeof ask>[] = [];
  await withLock(async () => {
    for (let n = 1; n <= 6; n++) {
      asked.push(ask(`{ ${statsOf(n)} }`));
    }
    await eventually(async () => (await sumsUnderWay()) === 2);
    const other = await ask('{ webhooks { edges { node { id } } } }');
    expect(codesOf(other)).toEqual([]);
    expect(await sumsUnderWay()).toBe(2);
  });
  for (const answer of await Promise.all(asked)) {
    expect(codesOf(answer)).toEqual([]);
  }
});

test('end with TIMED_OUT when they take too long, and harm nothing', async () => {
  await withLock(async () => {
    const { errors } = await ask(`{ ${statsOf(1)} }`);
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(/^The statistics took longer than 1 s\. Ask for a shorter time/),
      extensions: { code: 'TIMED_OUT', reason: 'search_timed_out' },
    });
  });
  expect(codesOf(await ask(`{ ${statsOf(1)} }`))).toEqual([]);
});

test('of many webhooks cost as much as they read, and what dashboards ask for is well within it', async () => {
  const page = (first: number) => `webhooks(first: ${first}) { edges { node { id ${statsOf(30)} } } }`;
  const pages = (count: number) => `{ ${Array.from({ length: count }, (_, n) => `p${n}: ${page(100)}`).join(' ')} }`;
  expect(codesOf(await ask(`{ ${page(100)} ${statsOf(30)} }`))).toEqual([]);
  expect(codesOf(await ask(pages(4)))).toEqual([]);
  expect(codesOf(await ask(pages(9)))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
});
