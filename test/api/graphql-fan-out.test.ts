import pg from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { emitMany, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

interface Entry {
  webhookId: string;
  reason: string | null;
  webhook: { id: string } | null;
  delivery: { id: string; webhook: { id: string } | null } | null;
}
const fields = 'edges { cursor node { webhookId reason webhook { id } delivery { id webhook { id } } } }';

interface Page {
  edges: { cursor: string; node: Entry }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

async function pageOf(eventId: number, args: string, by: TestTenant): Promise<Page> {
  const { data, errors } = await api.ask(
    `{ event(id: "${eventId}") { fanOut${args} { ${fields}
         pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
    {},
    by,
  );
  expect(errors).toEqual([]);
  return data.event.fanOut;
}
const entriesOf = ({ edges }: Pick<Page, 'edges'>) => edges.map(({ node }) => node);
const fanOut = async (eventId: number, args = '', by = tenant) => entriesOf(await pageOf(eventId, args, by));
const emit = async (by = tenant) => (await emitMany(api.services, by.id, 1))[0]!;
async function change(webhookId: number, by: TestTenant, input: string): Promise<void> {
  const mutation = `mutation { updateWebhook(input: {id: "${webhookId}", ${input}}) { webhook { id } } }`;
  expect(codesOf(await api.ask(mutation, {}, by))).toEqual([]);
}
/** By webhook: the reason, or that there is a delivery. */
const told = (entries: Entry[]) =>
  Object.fromEntries(
    entries.map(({ webhook, reason }) => [webhook ? numberIn(webhook.id) : 'deleted', reason ?? 'delivery']),
  );
const lapse = (webhookId: number) =>
  api.owner.query(`update hookwright.webhooks set hold_until = now() - interval '1 minute' where id = $1`, [webhookId]);

describe('the fan-out of an event', () => {
  test('names every webhook with its delivery, or with the reason why there is none', async () => {
    const by = await makeTenant(api.services);
    const make = (eventTypes?: string[]) =>
      makeWebhook(api.services, by.id, eventTypes === undefined ? {} : { eventTypes });
    const [gets, other, pausedJustNow, pausedLongAgo, deleted] = [
      await make(),
      await make(['booking.created']),
      await make(),
      await make(),
      await make(),
    ];
    await change(pausedJustNow.id, by, 'active: false');
    await change(pausedLongAgo.id, by, 'active: false');
    await lapse(pausedLongAgo.id);
    const eventId = await emit(by);
    await api.ask(`mutation { deleteWebhook(input: {id: "${deleted.id}"}) { deletedWebhookId } }`, {}, by);
    const later = await make();
    expect(told(await fanOut(eventId, '', by))).toEqual({
      [gets.id]: 'delivery',
      [other.id]: 'NOT_SUBSCRIBED',
      [pausedJustNow.id]: 'delivery',
      [pausedLongAgo.id]: 'INACTIVE',
      deleted: 'delivery',
      [later.id]: 'CREATED_LATER',
    });
  });

  test('tells what webhooks were when the event came, whatever they are now', async () => {
    const by = await makeTenant(api.services);
    const subscribedLater = await makeWebhook(api.services, by.id, { eventTypes: ['booking.created'] });
    const enabledLater = await makeWebhook(api.services, by.id);
    const leftLater = await makeWebhook(api.services, by.id);
    await change(enabledLater.id, by, 'active: false');
    await lapse(enabledLater.id);
    const eventId = await emit(by);
    await change(subscribedLater.id, by, 'eventTypes: ["coupon.applied"]');
    await change(subscribedLater.id, by, 'eventTypes: ["*"]');
    await change(enabledLater.id, by, 'active: true');
    await change(enabledLater.id, by, 'active: false');
    await change(leftLater.id, by, 'eventTypes: ["booking.created"]');
    expect(told(await fanOut(eventId, '', by))).toEqual({
      [subscribedLater.id]: 'NOT_SUBSCRIBED',
      [enabledLater.id]: 'INACTIVE',
      [leftLater.id]: 'delivery',
    });
  });

  test('admits it when nothing explains what is missing', async () => {
    const by = await makeTenant(api.services);
    const webhook = await makeWebhook(api.services, by.id);
    const eventId = await emit(by);
    await api.owner.query('delete from hookwright.deliveries where event_id = $1', [eventId]);
    expect(told(await fanOut(eventId, '', by))).toEqual({ [webhook.id]: 'UNKNOWN' });
  });

  test('of a test says whom it was for', async () => {
    const by = await makeTenant(api.services);
    const [tested, other] = [await makeWebhook(api.services, by.id), await makeWebhook(api.services, by.id)];
    const { data } = await api.ask(
      `mutation { testWebhook(input: {id: "${tested.id}"}) { delivery { event { fanOut { ${fields} } } } } }`,
      {},
      by,
    );
    expect(told(entriesOf(data.testWebhook.delivery.event.fanOut))).toEqual({
      [tested.id]: 'delivery',
      [other.id]: 'FOR_ANOTHER_WEBHOOK',
    });
  });

  test('of an operational event tells of the one that it is about, and of the others like of any event', async () => {
    const by = await makeTenant(api.services);
    const about = await makeWebhook(api.services, by.id);
    const gets = await makeWebhook(api.services, by.id, { eventTypes: ['webhook.disabled'] });
    const other = await makeWebhook(api.services, by.id, { eventTypes: ['booking.created'] });
    const facts = JSON.stringify({ webhook_id: String(about.id) });
    await api.owner.query(
      `select hookwright.raise_events(array[$1::bigint], array[$2::bigint], array['webhook.disabled'], array[$3], array[1])`,
      [by.id, about.id, facts],
    );
    const { data } = await api.ask('{ events { edges { node { id } } } }', {}, by);
    expect(told(await fanOut(data.events.edges[0].node.id, '', by))).toEqual({
      [about.id]: 'ABOUT_THIS_WEBHOOK',
      [gets.id]: 'delivery',
      [other.id]: 'NOT_SUBSCRIBED',
    });
  });

  test('names no webhook of anybody else', async () => {
    const by = await makeTenant(api.services);
    await makeWebhook(api.services, by.id);
    const mine = await makeWebhook(api.services, tenant.id);
    const eventId = await emit();
    expect(told(await fanOut(eventId))).toEqual({ [mine.id]: 'delivery' });
    const foreign = await api.ask(`{ event(id: "${eventId}") { fanOut { edges { cursor } } } }`, {}, by);
    expect(codesOf(foreign)).toEqual(['NOT_FOUND']);
  });

  test('has pages that together are the whole, deleted webhooks among them', async () => {
    const by = await makeTenant(api.services);
    const ids: number[] = [];
    for (let n = 0; n < 7; n++) {
      const eventTypes = n % 3 === 0 ? ['booking.created'] : ['*'];
      ids.push((await makeWebhook(api.services, by.id, { eventTypes })).id);
    }
    const eventId = await emit(by);
    for (const id of [ids[1], ids[2], ids[3]]) {
      await api.ask(`mutation { deleteWebhook(input: {id: "${id}"}) { deletedWebhookId } }`, {}, by);
    }
    const all = await fanOut(eventId, '', by);
    // The one that was deleted without having got it is gone.
    expect(all.map(({ webhookId, webhook, reason }) => [webhookId, webhook?.id ?? null, reason])).toEqual([
      [gid.webhook(ids[6]!), gid.webhook(ids[6]!), 'NOT_SUBSCRIBED'],
      [gid.webhook(ids[5]!), gid.webhook(ids[5]!), null],
      [gid.webhook(ids[4]!), gid.webhook(ids[4]!), null],
      [gid.webhook(ids[2]!), null, null],
      [gid.webhook(ids[1]!), null, null],
      [gid.webhook(ids[0]!), gid.webhook(ids[0]!), 'NOT_SUBSCRIBED'],
    ]);
    const forth: Entry[] = [];
    let page = await pageOf(eventId, '(first: 2)', by);
    forth.push(...entriesOf(page));
    while (page.pageInfo.hasNextPage) {
      expect(page.edges).toHaveLength(2);
      page = await pageOf(eventId, `(first: 2, after: "${page.pageInfo.endCursor}")`, by);
      expect(page.pageInfo.hasPreviousPage).toBe(true);
      forth.push(...entriesOf(page));
    }
    expect(forth).toEqual(all);
    const back = entriesOf(page);
    while (page.pageInfo.hasPreviousPage) {
      page = await pageOf(eventId, `(last: 2, before: "${page.pageInfo.startCursor}")`, by);
      expect(page.pageInfo.hasNextPage).toBe(true);
      back.unshift(...entriesOf(page));
    }
    expect(back).toEqual(all);
  });

  test.each(['first: 0', 'first: 101', 'first: 1, last: 1', 'after: "x"'])('%s is bad input', async (args) => {
    const answer = await api.ask(
      `{ event(id: "${await emit()}") { fanOut(${args}) { edges { cursor } } } }`,
      {},
      tenant,
    );
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
  });

  test('takes three statements more, however many events and webhooks there are', async () => {
    const by = await makeTenant(api.services);
    const statementsOf = async (query: string) => {
      await api.ask(query, {}, by);
      const spy = vi.spyOn(pg.Client.prototype, 'query');
      try {
        expect(codesOf(await api.ask(query, {}, by))).toEqual([]);
        const texts = spy.mock.calls.map(([one]) => (typeof one === 'string' ? one : (one as never)['text']));
        return texts.filter((text) => !/^(begin|commit|select set_config)/.test(text)).length;
      } finally {
        spy.mockRestore();
      }
    };
    for (let n = 0; n < 10; n++) {
      await makeWebhook(api.services, by.id);
    }
    await emitMany(api.services, by.id, 20);
    const query = `{ events(first: 20) { edges { node { fanOut { edges { node { reason webhook { url } delivery { status } } } } } } } }`;
    expect(await statementsOf(query)).toBe(1 + 3);
  });
});
