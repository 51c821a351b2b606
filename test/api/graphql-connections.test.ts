import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCursor } from '../../src/api/graphql/fields/connection.js';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { emitMany, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { allPages, type Page, type PageArgs, pageInfo } from '../support/pages.js';
import { statementsOf } from '../support/statements.js';

const EVENTS = 260;

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const ids: number[] = [];
for (const count of [100, 100, EVENTS - 200]) {
  ids.push(...(await emitMany(api.services, tenant.id, count)));
}
const newestFirst = ids.sort((a, b) => b - a).map(gid.event);
// Another tenant's, between ours.
await emitMany(api.services, (await makeTenant(api.services)).id, 5);
afterAll(() => api.close());

const { ask, read } = api.by(tenant);
const page = async (variables: PageArgs & { filter?: object }): Promise<Page<{ id: string }>> =>
  (
    await read(
      `query ($first: Int, $after: String, $last: Int, $before: String, $filter: EventFilter) {
         events(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
           edges { cursor node { id } } ${pageInfo} } }`,
      { ...variables },
    )
  ).events;
const idsOf = (of: Page<{ id: string }>): string[] => nodesOf(of).map(({ id }) => id);
const cursorAt = (index: number) => encodeCursor('events', numberIn(newestFirst.at(index)!));

describe('a connection', () => {
  test.each([
    ['forwards', true],
    ['backwards', false],
  ])('leads %s through everything, newest first on each page', async (_name, forwards) => {
    expect((await allPages(page, 77, forwards)).map(({ id }) => id)).toEqual(newestFirst);
  });

  test('has 50 on a page by default, and 100 at most', async () => {
    expect(idsOf(await page({}))).toEqual(newestFirst.slice(0, 50));
    expect(idsOf(await page({ first: 100 }))).toHaveLength(100);
    expect(idsOf(await page({ first: 1 }))).toEqual(newestFirst.slice(0, 1));
  });

  test('ends exactly where its last page is full', async () => {
    const after = cursorAt(-11);
    const last = await page({ first: 10, after });
    expect(idsOf(last)).toEqual(newestFirst.slice(-10));
    expect(last.pageInfo.hasNextPage).toBe(false);
    expect((await page({ first: 9, after })).pageInfo.hasNextPage).toBe(true);
  });

  test('may lie between two cursors, and knows what lies beyond both', async () => {
    const between = { after: cursorAt(9), before: cursorAt(15) };
    const all = await page({ first: 10, ...between });
    expect(idsOf(all)).toEqual(newestFirst.slice(10, 15));
    expect(all.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    expect(idsOf(await page({ first: 2, ...between }))).toEqual(newestFirst.slice(10, 12));
    expect(idsOf(await page({ last: 2, ...between }))).toEqual(newestFirst.slice(13, 15));
  });

  test('is empty beyond its end, with no cursors', async () => {
    expect(await page({ first: 10, after: cursorAt(-1) })).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    });
  });

  test('is not disturbed by what is added meanwhile', async () => {
    const first = await page({ first: 5 });
    await emitMany(api.services, (await makeTenant(api.services)).id, 1);
    const second = await page({ first: 5, after: first.pageInfo.endCursor });
    expect(idsOf(second)).toEqual(newestFirst.slice(5, 10));
  });

  test('can be limited to a time', async () => {
    const [newest, oldest] = [newestFirst[0], newestFirst.at(-1)].map((id) => idToDate(numberIn(id!)));
    const at = (date: Date | undefined, ms: number) => new Date((date?.getTime() ?? 0) + ms).toISOString();
    expect(idsOf(await page({ filter: { since: at(oldest, 0), until: at(newest, 1) } }))).toHaveLength(50);
    expect(idsOf(await page({ filter: { since: at(newest, 1) } }))).toEqual([]);
    expect(idsOf(await page({ filter: { until: at(oldest, 0) } }))).toEqual([]);
    expect(idsOf(await page({ filter: { since: '1970-01-01T00:00:00Z', eventType: 'booking.created' } }))).toEqual([]);
  });

  test.each([
    ['first 0', { first: 0 }, 'first'],
    ['last 101', { last: 101 }, 'last'],
    ['both first and last', { first: 1, last: 1 }, 'last'],
    ['a cursor of another list', { after: encodeCursor('auditLog', 5) }, 'after'],
    ['a cursor with something behind it', { before: `${encodeCursor('events', 1)}!` }, 'before'],
    ['a cursor with a huge id', { before: Buffer.from('events:9999999999999999').toString('base64url') }, 'before'],
  ])('%s is bad input, in every list', async (_name, variables, path) => {
    for (const list of ['events', 'deliveries', 'webhooks']) {
      const { errors, status } = await ask(
        `query ($first: Int, $after: String, $last: Int, $before: String) {
           ${list}(first: $first, after: $after, last: $last, before: $before) { edges { cursor } } }`,
        variables,
      );
      expect(status).toBe(200);
      expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: [path] }] });
    }
  });

  test.each([
    ['events', 'eventType', 'a.b'],
    ['deliveries', 'eventType', 'a.b'],
    ['webhooks', 'eventType', '*'],
    ['deliveries', 'webhookId', 'x'],
  ])('the filter of %s refuses a bad %s at its place', async (list, field, value) => {
    const { errors } = await ask(`{ ${list}(filter: {${field}: "${value}"}) { edges { cursor } } }`);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['filter', field] }] });
  });
});

test("a webhook's deliveries have pages of their own for each webhook, forwards and backwards", async () => {
  const owner = await makeTenant(api.services);
  const [one, two] = [await makeWebhook(api.services, owner.id), await makeWebhook(api.services, owner.id)];
  await emitMany(api.services, owner.id, 12);
  const pagesOf = async (args: string) => {
    const { webhooks } = await api.by(owner).read(
      `{ webhooks(first: 10) { edges { node { id deliveries(${args}) {
           edges { node { id status createdAt webhook { id } } } ${pageInfo} } } } } }`,
    );
    return nodesOf(webhooks);
  };
  const all = await pagesOf('first: 100');
  expect(all.map(({ id }) => id)).toEqual([two.id, one.id].map(gid.webhook));
  for (const { id, deliveries } of all) {
    const nodes = nodesOf(deliveries);
    expect(nodes).toHaveLength(12);
    expect(nodes).toMatchObject(nodes.map(() => ({ status: 'PENDING', webhook: { id } })));
    const ids = nodes.map((node) => numberIn(node.id));
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  }
  const ids = idsOf(all[0].deliveries);
  const [first] = await pagesOf('first: 5');
  const [next] = await pagesOf(`first: 100, after: "${first.deliveries.pageInfo.endCursor}"`);
  expect(next.deliveries.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  expect([first, next].map(({ deliveries }) => idsOf(deliveries))).toEqual([ids.slice(0, 5), ids.slice(5)]);
  for (const [args, wanted] of [
    ['last: 5', ids.slice(-5)],
    ['filter: {status: FAILED}', []],
    ['filter: {eventType: "coupon.applied"}', ids],
    ['filter: {until: "2025-01-01T00:00:00Z"}', []],
    ['filter: {since: "2025-01-01T00:00:00Z"}', ids],
  ] as const) {
    expect(idsOf((await pagesOf(args))[0].deliveries), args).toEqual(wanted);
  }
});

describe("an event's deliveries", () => {
  let by: TestTenant;
  let eventId: number;
  let expected: string[];
  beforeAll(async () => {
    by = await makeTenant(api.services);
    for (let n = 0; n < 7; n++) {
      await makeWebhook(api.services, by.id);
    }
    [eventId = 0] = await emitMany(api.services, by.id, 1);
    await emitMany(api.services, by.id, 3);
    const { rows } = await api.owner.query(
      'select id from hookwright.deliveries where event_id = $1 order by id desc',
      [eventId],
    );
    expected = rows.map(({ id }) => gid.delivery(id));
    expect(expected).toHaveLength(7);
  });
  const pageOf = async (args: string): Promise<Page<{ id: string }>> => {
    const query = `{ event(id: "${eventId}") { deliveries${args} { edges { cursor node { id } } ${pageInfo} } } }`;
    return (await api.by(by).read(query)).event.deliveries;
  };

  test('are its own alone, newest first, in pages of any size and both ways', async () => {
    expect(idsOf(await pageOf(''))).toEqual(expected);
    const first = await pageOf('(first: 3)');
    expect(idsOf(first)).toEqual(expected.slice(0, 3));
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = await pageOf(`(first: 4, after: "${first.pageInfo.endCursor}")`);
    expect(idsOf(second)).toEqual(expected.slice(3));
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const back = await pageOf(`(last: 2, before: "${second.pageInfo.startCursor}")`);
    expect(idsOf(back)).toEqual(expected.slice(1, 3));
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  test('of many events each have a page of their own', async () => {
    const { events } = await api
      .by(by)
      .read('{ events { edges { node { id deliveries(first: 2) { edges { node { eventId } } } } } } }');
    for (const { node } of events.edges) {
      expect(node.deliveries.edges).toEqual([{ node: { eventId: node.id } }, { node: { eventId: node.id } }]);
    }
    expect(events.edges).toHaveLength(4);
  });
});

describe('nested fields', () => {
  /** The fewest of three reads: the others fill caches, of which one may end at any time. */
  const countOf = async (query: string) => {
    const counts = [];
    for (let time = 0; time < 3; time++) {
      counts.push((await statementsOf(() => read(query))).length);
    }
    return Math.min(...counts);
  };

  test('take one query a level, and one more for long texts, however many parents there are', async () => {
    for (let n = 0; n < 5; n++) {
      await makeWebhook(api.services, tenant.id);
    }
    await emitMany(api.services, tenant.id, 20);
    const deliveries = (first: number) =>
      `{ deliveries(first: ${first}) { edges { node { id event { body } webhook { url heldCount } attempts { number } } } } }`;
    expect(await countOf(deliveries(2))).toBe(await countOf(deliveries(60)));
    expect(await countOf(deliveries(60))).toBe(7); // how long the bodies are, and then the bodies
    const events = (first: number) =>
      `{ events(first: ${first}) { edges { node { deliveries(first: 3) { edges { node { id webhook { url } attempts { number } } } } } } } }`;
    expect(await countOf(events(20))).toBe(4);
    expect(await countOf('{ webhooks { edges { node { id heldCount } } } }')).toBe(2);
    expect(await countOf('{ webhooks { edges { node { id backlog { due held } } } } }')).toBe(2);
    const pages =
      '{ webhooks(first: 20) { edges { node { deliveries(first: 5) { edges { node { id attempts { number } } } } } } } }';
    expect(await countOf(pages)).toBe(3);
  });
});
