import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { emitMany, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { allPages, type Page, type PageArgs, pageInfo } from '../support/pages.js';
import { statementsOf } from '../support/statements.js';

const api = await GraphqlApi.open();
afterAll(() => api.close());

let by: TestTenant;
beforeEach(async () => {
  by = await makeTenant(api.services);
});

interface Entry {
  webhookId: string;
  reason: string | null;
  webhook: { id: string } | null;
  delivery: { id: string; webhook: { id: string } | null } | null;
}
const fields = 'edges { cursor node { webhookId reason webhook { id } delivery { id webhook { id } } } }';

async function pageOf(eventId: number | string, { first, after, last, before }: PageArgs = {}): Promise<Page<Entry>> {
  const { event } = await api.by(by).read(
    `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
       event(id: $id) { fanOut(first: $first, after: $after, last: $last, before: $before) { ${fields} ${pageInfo} } } }`,
    { id: String(eventId), first, after, last, before },
  );
  return event.fanOut;
}
const fanOut = async (eventId: number | string): Promise<Entry[]> => nodesOf(await pageOf(eventId));
const emit = async () => (await emitMany(api.services, by.id, 1))[0]!;
const make = async (eventTypes = ['*']) => (await makeWebhook(api.services, by.id, { eventTypes })).id;
const change = async (id: number, input: object) =>
  dataOf(await api.by(by).mutate('updateWebhook', { id: String(id), ...input }, 'webhook { id }'));
const remove = (id: number) => api.by(by).mutate('deleteWebhook', { id: String(id) }, 'deletedWebhookId');
/** By webhook: the reason, or that there is a delivery. */
const told = (entries: Entry[]) =>
  Object.fromEntries(
    entries.map(({ webhook, reason }) => [webhook ? numberIn(webhook.id) : 'deleted', reason ?? 'delivery']),
  );
const lapse = (webhookId: number) =>
  api.owner.query(`update hookwright.webhooks set hold_until = now() - interval '1 minute' where id = $1`, [webhookId]);

describe('the fan-out of an event', () => {
  test('names every webhook with its delivery, or with the reason why there is none', async () => {
    const gets = await make();
    const other = await make(['booking.created']);
    const [pausedJustNow, pausedLongAgo, deleted] = [await make(), await make(), await make()];
    await change(pausedJustNow, { active: false });
    await change(pausedLongAgo, { active: false });
    await lapse(pausedLongAgo);
    const eventId = await emit();
    await remove(deleted);
    const later = await make();
    expect(told(await fanOut(eventId))).toEqual({
      [gets]: 'delivery',
      [other]: 'NOT_SUBSCRIBED',
      [pausedJustNow]: 'delivery',
      [pausedLongAgo]: 'INACTIVE',
      deleted: 'delivery',
      [later]: 'CREATED_LATER',
    });
  });

  test('shows what webhooks were when the event came, whatever they are now', async () => {
    const subscribedLater = await make(['booking.created']);
    const [enabledLater, leftLater] = [await make(), await make()];
    await change(enabledLater, { active: false });
    await lapse(enabledLater);
    const eventId = await emit();
    await change(subscribedLater, { eventTypes: ['coupon.applied'] });
    await change(subscribedLater, { eventTypes: ['*'] });
    await change(enabledLater, { active: true });
    await change(enabledLater, { active: false });
    await change(leftLater, { eventTypes: ['booking.created'] });
    expect(told(await fanOut(eventId))).toEqual({
      [subscribedLater]: 'NOT_SUBSCRIBED',
      [enabledLater]: 'INACTIVE',
      [leftLater]: 'delivery',
    });
  });

  test('admits it when nothing explains what is missing', async () => {
    const webhook = await make();
    const eventId = await emit();
    await api.owner.query('delete from hookwright.deliveries where event_id = $1', [eventId]);
    expect(told(await fanOut(eventId))).toEqual({ [webhook]: 'UNKNOWN' });
  });

  test('of a test says which webhook it was for', async () => {
    const [tested, other] = [await make(), await make()];
    const selection = `delivery { event { fanOut { ${fields} } } }`;
    const { data } = await api.by(by).mutate('testWebhook', { id: String(tested) }, selection);
    expect(told(nodesOf(data.testWebhook.delivery.event.fanOut))).toEqual({
      [tested]: 'delivery',
      [other]: 'FOR_ANOTHER_WEBHOOK',
    });
  });

  test('of an operational event names the webhook that it is about, and the others as for any event', async () => {
    const about = await make();
    const gets = await make(['webhook.disabled']);
    const other = await make(['booking.created']);
    const facts = JSON.stringify({ webhook_id: String(about) });
    await api.owner.query(
      `select hookwright.raise_events(array[$1::bigint], array[$2::bigint], array['webhook.disabled'], array[$3], array[1])`,
      [by.id, about, facts],
    );
    const { events } = await api.by(by).read('{ events { edges { node { id } } } }');
    expect(told(await fanOut(events.edges[0].node.id))).toEqual({
      [about]: 'ABOUT_THIS_WEBHOOK',
      [gets]: 'delivery',
      [other]: 'NOT_SUBSCRIBED',
    });
  });

  test('names no webhook of another tenant', async () => {
    await makeWebhook(api.services, (await makeTenant(api.services)).id);
    const mine = await make();
    const eventId = await emit();
    expect(told(await fanOut(eventId))).toEqual({ [mine]: 'delivery' });
    const stranger = await makeTenant(api.services);
    const foreign = await api.by(stranger).ask(`{ event(id: "${eventId}") { fanOut { edges { cursor } } } }`);
    expect(codesOf(foreign)).toEqual(['NOT_FOUND']);
  });

  test('has pages that together are the whole, deleted webhooks among them', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 7; n++) {
      ids.push(await make(n % 3 === 0 ? ['booking.created'] : ['*']));
    }
    const eventId = await emit();
    for (const id of ids.slice(1, 4)) {
      await remove(id);
    }
    const all = await fanOut(eventId);
    const id = (n: number) => gid.webhook(ids[n]!);
    // The one that was deleted without having got it is gone.
    expect(all.map(({ webhookId, webhook, reason }) => [webhookId, webhook?.id ?? null, reason])).toEqual([
      [id(6), id(6), 'NOT_SUBSCRIBED'],
      [id(5), id(5), null],
      [id(4), id(4), null],
      [id(2), null, null],
      [id(1), null, null],
      [id(0), id(0), 'NOT_SUBSCRIBED'],
    ]);
    for (const forwards of [true, false]) {
      expect(await allPages((args) => pageOf(eventId, args), 2, forwards)).toEqual(all);
    }
  });

  test.each(['first: 0', 'first: 101', 'first: 1, last: 1', 'after: "x"'])('%s is bad input', async (args) => {
    const answer = await api.by(by).ask(`{ event(id: "${await emit()}") { fanOut(${args}) { edges { cursor } } } }`);
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
  });

  test('takes three statements more, however many events and webhooks there are', async () => {
    const query = `{ events(first: 20) { edges { node { fanOut { edges { node { reason webhook { url } delivery { status } } } } } } } }`;
    const { read } = api.by(by);
    for (let n = 0; n < 10; n++) {
      await make();
    }
    await emitMany(api.services, by.id, 20);
    await read(query); // connections, prepared statements and caches
    expect(await statementsOf(() => read(query))).toHaveLength(1 + 3);
  });
});
