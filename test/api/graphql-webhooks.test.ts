import { describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi, nodesOf, openGraphql } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const { api, tenant, ask, mutate, read } = await openGraphql();

const health = 'active consecutiveFailures lastSuccessAt lastFailureAt disabledAt';
const create = (input: object) =>
  mutate('createWebhook', input, `secret webhook { id url eventTypes ${health} createdAt heldCount }`);
const update = (input: object, by = tenant) =>
  api.by(by).mutate('updateWebhook', input, 'webhook { id url eventTypes active disabledReason heldCount }');
const webhookOf = (id: string) => ask('query ($id: ID!) { webhook(id: $id) { id active } }', { id });

describe('a webhook from its creation to its deletion', () => {
  test('it is active, without failures, and shows its secret once', async () => {
    const settings = { url: 'https://receiver.example.com/hook', eventTypes: ['coupon.applied'] };
    const { data, status } = await create(settings);
    expect(status).toBe(200);
    const { webhook, secret } = data.createWebhook;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(webhook).toEqual({
      ...settings,
      id: expect.any(String),
      active: true,
      consecutiveFailures: 0,
      lastSuccessAt: null,
      lastFailureAt: null,
      disabledAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      heldCount: 0,
    });
    const id = numberIn(webhook.id);
    const { rows } = await api.owner.query('select sealed_secret from hookwright.webhooks where id = $1', [id]);
    expect(rows[0].sealed_secret.toString('latin1')).not.toContain(secret.slice(6, 20));
    expect(await api.services.vault.open(tenant.id, id, rows[0].sealed_secret)).toBe(secret);
  });

  test('it is made paused where the request says so, and holds its events until it is enabled', async () => {
    const other = await makeTenant(api.services);
    const input = { url: 'https://receiver.example.com/moved', eventTypes: ['*'], active: false };
    const fields = 'webhook { id active disabledReason disabledAt holdUntil consecutiveFailures }';
    const { data } = await api.by(other).mutate('createWebhook', input, fields);
    const { webhook } = data.createWebhook;
    expect(webhook).toMatchObject({ active: false, disabledReason: 'PAUSED', consecutiveFailures: 0 });
    expect(Date.parse(webhook.holdUntil) - Date.parse(webhook.disabledAt)).toBe(168 * 3_600_000);
    await emitMany(api.services, other.id, 2);
    const document = `{ webhook(id: "${webhook.id}") { heldCount }
      auditLog { edges { node { action after } } } }`;
    const seen = await api.by(other).read(document);
    expect(seen.webhook.heldCount).toBe(2);
    expect(seen.auditLog.edges[0].node).toMatchObject({ action: 'WEBHOOK_CREATED', after: { active: false } });
    const enabled = await update({ id: webhook.id, active: true }, other);
    expect(enabled.data.updateWebhook.webhook).toMatchObject({ active: true, disabledReason: null });
    const usual = await api.by(other).mutate('createWebhook', { ...input, active: true }, fields);
    expect(usual.data.createWebhook.webhook).toMatchObject({ active: true, disabledAt: null });
  });

  test('it can be changed, paused and enabled again, and the answer shows the change', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    const settings = { url: 'https://other.example.com/', eventTypes: ['booking.created'] };
    for (const [change, shown] of [
      [settings, { ...settings, active: true }],
      [{ active: false }, { active: false, disabledReason: 'PAUSED' }],
      [{ active: true }, { active: true, disabledReason: null }],
    ]) {
      expect((await update({ id, ...change })).data.updateWebhook.webhook).toMatchObject(shown!);
    }
  });

  test('it collects events while it is paused, and counts them', async () => {
    const other = await makeTenant(api.services);
    const { id } = await makeWebhook(api.services, other.id);
    await update({ id, active: false }, other);
    await emitMany(api.services, other.id, 3);
    const { webhook } = await api
      .by(other)
      .read(`{ webhook(id: "${id}") { heldCount deliveries { edges { node { status } } } } }`);
    expect(webhook.heldCount).toBe(3);
    expect(nodesOf(webhook.deliveries)).toEqual(Array(3).fill({ status: 'HELD' }));
    const kept = await update({ id, active: true, held: 'KEEP' }, other);
    expect(kept.data.updateWebhook.webhook).toMatchObject({ active: true, heldCount: 3 });
    const keeps = async () => {
      const sql = 'select keep_held from hookwright.webhooks where id = $1';
      return (await api.owner.query<{ keep_held: boolean }>(sql, [id])).rows[0]?.keep_held;
    };
    await update({ id, active: true }, other);
    expect(await keeps()).toBe(true);
    const discarded = await update({ id, active: true, held: 'DISCARD' }, other);
    expect(discarded.errors[0].message).toContain('cancelDeliveries');
    await update({ id, active: true, held: 'RELEASE' }, other);
    expect(await keeps()).toBe(false);
    const { data } = await api.by(other).mutate('releaseHeld', { webhookId: id }, 'webhook { id active }');
    expect(data.releaseHeld.webhook).toEqual({ id: gid.webhook(id), active: true });
  });

  test('it is gone at once when deleted, while its deliveries stay and tell its id', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    const [eventId] = await emitMany(api.services, tenant.id, 1);
    const deleted = await mutate('deleteWebhook', { id }, 'deletedWebhookId');
    expect(deleted.data.deleteWebhook).toEqual({ deletedWebhookId: gid.webhook(id) });
    expect(codesOf(await webhookOf(String(id)))).toEqual(['NOT_FOUND']);
    expect(codesOf(await update({ id, active: true }))).toEqual(['NOT_FOUND']);
    const { deliveries } = await read(
      `{ deliveries(filter: {webhookId: "${id}"}) {
           edges { node { webhookId webhook { id } eventId event { eventType } } } } }`,
    );
    const ids = { webhookId: gid.webhook(id), eventId: gid.event(eventId!) };
    expect(nodesOf(deliveries)).toEqual([{ ...ids, webhook: null, event: { eventType: 'coupon.applied' } }]);
  });
});

test('concurrent creates cannot pass the limit of webhooks', async () => {
  const limited = await GraphqlApi.open({ WEBHOOKS_PER_TENANT_MAX: '3' });
  try {
    const one = limited.by(await makeTenant(limited.services));
    const createOne = () =>
      one.mutate('createWebhook', { url: 'https://a.example.com/', eventTypes: ['*'] }, 'webhook { id }');
    const answers = await Promise.all(Array.from({ length: 8 }, createOne));
    const made = answers.filter(({ data }) => data !== null);
    expect(made).toHaveLength(3);
    const refused = answers.filter(({ data }) => data === null);
    expect(refused.map(({ errors }) => errors[0].extensions)).toEqual(
      Array(5).fill({ code: 'CONFLICT', reason: 'webhook_limit_reached' }),
    );
    await one.mutate('deleteWebhook', { id: made[0]!.data.createWebhook.webhook.id }, 'deletedWebhookId');
    expect((await createOne()).errors).toEqual([]);
  } finally {
    await limited.close();
  }
});

describe('listing webhooks', () => {
  test('filters by state and by the events that a webhook gets', async () => {
    const other = await makeTenant(api.services);
    const made = async (...eventTypes: string[]) => (await makeWebhook(api.services, other.id, { eventTypes })).id;
    const all = await made('*');
    const coupons = await made('coupon.applied');
    const bookings = await made('booking.created', 'booking.canceled');
    await update({ id: bookings, active: false }, other);
    const list = async (filter: object) => {
      const query = 'query ($filter: WebhookFilter) { webhooks(filter: $filter) { edges { node { id } } } }';
      const { webhooks } = await api.by(other).read(query, { filter });
      return nodesOf(webhooks).map(({ id }) => numberIn(id));
    };
    expect(await list({})).toEqual([bookings, coupons, all]);
    expect(await list({ active: true })).toEqual([coupons, all]);
    expect(await list({ active: false })).toEqual([bookings]);
    expect(await list({ eventType: 'coupon.applied' })).toEqual([coupons, all]);
    expect(await list({ eventType: 'booking.canceled', active: false })).toEqual([bookings]);
    const unknown = await ask('{ webhooks(filter: {eventType: "a.b"}) { edges { cursor } } }');
    expect(unknown.errors[0].extensions.errors[0]).toMatchObject({ path: ['filter', 'eventType'] });
  });

  test('operational events can be named, and stand among the event types as reserved', async () => {
    const names = [...OPERATIONAL_EVENT_TYPES];
    const { data } = await create({ url: 'https://a.example.com/', eventTypes: names });
    expect(data.createWebhook.webhook.eventTypes).toEqual(names);
    const { eventTypes } = await read('{ eventTypes { name description reserved schema } }');
    for (const name of names) {
      expect(eventTypes).toContainEqual({
        name,
        description: expect.stringMatching(/webhook of the tenant/),
        reserved: true,
        schema: expect.objectContaining({ type: 'object', additionalProperties: false }),
      });
    }
  });
});

describe('bad input for webhooks', () => {
  const good = { url: 'https://receiver.example.com/', eventTypes: ['*'] };

  test.each([
    ['an http url', { url: 'http://receiver.example.com/' }, ['input', 'url']],
    ['no event types', { eventTypes: [] }, ['input', 'eventTypes']],
    ['an unknown event type', { eventTypes: ['booking.created', 'booking.lost'] }, ['input', 'eventTypes', 1]],
    ['a name twice', { eventTypes: ['booking.created', 'booking.created'] }, ['input', 'eventTypes', 1]],
  ])('%s is refused at its place, on creation and on change', async (_name, wrong, path) => {
    const { id } = await makeWebhook(api.services, tenant.id);
    for (const answer of [await create({ ...good, ...wrong }), await update({ id, ...wrong })]) {
      expect(answer).toMatchObject({ status: 200, data: null });
      const { code, reason, errors } = answer.errors[0].extensions;
      expect({ code, reason }).toEqual({ code: 'BAD_USER_INPUT', reason: 'invalid_input' });
      const [named, detailed] = [expect.stringMatching(/^[a-z_]+$/), expect.stringMatching(/./)];
      expect(errors[0]).toEqual({ path, code: named, detail: detailed });
    }
  });

  test('a list that is much too long is judged as that, and not name by name', async () => {
    const { errors } = await create({ ...good, eventTypes: Array(1_000).fill('a') });
    expect(errors[0].extensions.errors).toMatchObject([
      { path: ['input', 'eventTypes'], detail: 'must have at most 100 names' },
    ]);
    expect(errors[0].message).not.toContain('more)');
  });

  test('two broken rules are both told', async () => {
    const { errors } = await create({ url: 'nonsense', eventTypes: ['nonsense'] });
    expect(errors[0].extensions.errors.map(({ path }: { path: unknown[] }) => path[1])).toEqual(['url', 'eventTypes']);
  });

  test('a change of nothing, and held without active: true, are refused', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    expect(codesOf(await update({ id }))).toEqual(['BAD_USER_INPUT']);
    expect(codesOf(await update({ id, active: false, held: 'DISCARD' }))).toEqual(['BAD_USER_INPUT']);
  });

  test.each(['0', 'abc', '99999999999999999999'])('the id %j is NOT_FOUND, as an unknown one', async (id) => {
    expect(await webhookOf(id)).toMatchObject({ status: 200, data: { webhook: null } });
    for (const answer of [await webhookOf(id), await update({ id, active: true })]) {
      expect(codesOf(answer)).toEqual(['NOT_FOUND']);
    }
  });
});
