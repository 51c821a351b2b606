import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { documents } from '../support/graphql-documents.js';
import { gid, numberIn } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const create = (input: Record<string, unknown>, key = tenant.key) =>
  api.ask(documents.createWebhook, { input }, { key });
const update = (input: Record<string, unknown>, key = tenant.key) =>
  api.ask(documents.updateWebhook, { input }, { key });
const read = (id: string, key = tenant.key) => api.ask(documents.webhook, { id }, { key });

describe('a webhook from its creation to its deletion', () => {
  test('it is active, without failures, and shows its secret once', async () => {
    const { data, status } = await create({ url: 'https://receiver.example.com/hook', eventTypes: ['coupon.applied'] });
    expect(status).toBe(200);
    const { webhook, secret } = data.createWebhook;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(webhook).toMatchObject({
      url: 'https://receiver.example.com/hook',
      eventTypes: ['coupon.applied'],
      active: true,
      consecutiveFailures: 0,
      lastSuccessAt: null,
      lastFailureAt: null,
      disabledAt: null,
      heldCount: 0,
    });
    expect(webhook.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    const { rows } = await api.owner.query('select sealed_secret from hookwright.webhooks where id = $1', [
      numberIn(webhook.id),
    ]);
    expect(rows[0].sealed_secret.toString('latin1')).not.toContain(secret.slice(6, 20));
    expect(await api.services.vault.open(tenant.id, numberIn(webhook.id), rows[0].sealed_secret)).toBe(secret);
  });

  test('it can be changed, paused and enabled again, and the answer shows the change', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    const changed = await update({ id, url: 'https://other.example.com/', eventTypes: ['booking.created'] });
    expect(changed.data.updateWebhook.webhook).toMatchObject({
      url: 'https://other.example.com/',
      eventTypes: ['booking.created'],
      active: true,
    });
    const paused = await update({ id, active: false });
    expect(paused.data.updateWebhook.webhook).toMatchObject({ active: false, disabledReason: 'PAUSED' });
    const enabled = await update({ id, active: true });
    expect(enabled.data.updateWebhook.webhook).toMatchObject({ active: true, disabledReason: null });
  });

  test('it collects events while it is paused, and counts them', async () => {
    const other = await makeTenant(api.services);
    const { id } = await makeWebhook(api.services, other.id);
    await update({ id, active: false }, other.key);
    await emitMany(api.services, other.id, 3);
    const { data } = await api.ask(
      `{ webhook(id: "${id}") { heldCount deliveries { edges { node { status } } } } }`,
      {},
      other,
    );
    expect(data.webhook.heldCount).toBe(3);
    expect(data.webhook.deliveries.edges.map(({ node }: { node: { status: string } }) => node.status)).toEqual([
      'HELD',
      'HELD',
      'HELD',
    ]);
    const kept = await update({ id, active: true, held: 'KEEP' }, other.key);
    expect(kept.data.updateWebhook.webhook).toMatchObject({ active: true, heldCount: 3 });
    const keeps = async () => {
      const sql = 'select keep_held from hookwright.webhooks where id = $1';
      return (await api.owner.query<{ keep_held: boolean }>(sql, [id])).rows[0]?.keep_held;
    };
    await update({ id, active: true }, other.key);
    expect(await keeps()).toBe(true);
    expect((await update({ id, active: true, held: 'DISCARD' }, other.key)).errors[0].message).toContain(
      'cancelDeliveries',
    );
    await update({ id, active: true, held: 'RELEASE' }, other.key);
    expect(await keeps()).toBe(false);
    const released = await api.ask(
      `mutation { releaseHeld(input: {webhookId: "${id}"}) { webhook { id active } } }`,
      {},
      other,
    );
    expect(released.data.releaseHeld.webhook).toEqual({ id: gid.webhook(id), active: true });
  });

  test('it is gone at once when deleted, while its deliveries stay and tell its id', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    const [eventId] = await emitMany(api.services, tenant.id, 1);
    const deleted = await api.ask(`mutation { deleteWebhook(input: {id: "${id}"}) { deletedWebhookId } }`, {}, tenant);
    expect(deleted.data.deleteWebhook).toEqual({ deletedWebhookId: gid.webhook(id) });
    expect(codesOf(await read(String(id)))).toEqual(['NOT_FOUND']);
    expect(codesOf(await update({ id, active: true }))).toEqual(['NOT_FOUND']);
    const { data } = await api.ask(
      `{ deliveries(filter: {webhookId: "${id}"}) {
           edges { node { webhookId webhook { id } eventId event { eventType } } } } }`,
      {},
      tenant,
    );
    const ids = { webhookId: gid.webhook(id), eventId: gid.event(eventId!) };
    expect(data.deliveries.edges).toEqual([
      { node: { ...ids, webhook: null, event: { eventType: 'coupon.applied' } } },
    ]);
  });
});

describe('tests of a webhook', () => {
  test('an active one gets a webhook.test event, whatever it subscribed to', async () => {
    const { id } = await makeWebhook(api.services, tenant.id, { eventTypes: ['booking.created'] });
    const { data } = await api.ask(
      `mutation { testWebhook(input: {id: "${id}"}) { delivery {
         id eventType status attemptCount attempts { number } webhook { id } event { payload } } } }`,
      {},
      tenant,
    );
    expect(data.testWebhook.delivery).toMatchObject({
      eventType: 'webhook.test',
      status: 'PENDING',
      attemptCount: 0,
      attempts: [],
      webhook: { id: gid.webhook(id) },
      event: { payload: { message: expect.any(String) } },
    });
  });

  test('an inactive one is a conflict that names the way to try it', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    await update({ id, active: false });
    const answer = await api.ask(`mutation { testWebhook(input: {id: "${id}"}) { delivery { id } } }`, {}, tenant);
    expect(codesOf(answer)).toEqual(['CONFLICT']);
    expect(answer.errors[0].message).toContain('held: KEEP');
  });
});

describe('the limit of webhooks', () => {
  test('concurrent creates cannot pass it', async () => {
    const limited = await GraphqlApi.open({ WEBHOOKS_PER_TENANT_MAX: '3' });
    try {
      const { key } = await makeTenant(limited.services);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          limited.ask(
            'mutation { createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } } }',
            {},
            { key },
          ),
        ),
      );
      expect(answers.filter(({ data }) => data !== null)).toHaveLength(3);
      const refused = answers.filter(({ data }) => data === null);
      expect(refused.map(({ errors }) => errors[0].extensions)).toEqual(
        Array(5).fill({ code: 'CONFLICT', reason: 'webhook_limit_reached' }),
      );
      const id = answers.find(({ data }) => data !== null)!.data.createWebhook.webhook.id;
      await limited.ask(`mutation { deleteWebhook(input: {id: "${id}"}) { deletedWebhookId } }`, {}, { key });
      const again = await limited.ask(
        'mutation { createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } } }',
        {},
        { key },
      );
      expect(again.errors).toEqual([]);
    } finally {
      await limited.close();
    }
  });
});

describe('listing webhooks', () => {
  test('filters by state and by the events that a webhook gets', async () => {
    const other = await makeTenant(api.services);
    const all = await makeWebhook(api.services, other.id, { eventTypes: ['*'] });
    const coupons = await makeWebhook(api.services, other.id, { eventTypes: ['coupon.applied'] });
    const bookings = await makeWebhook(api.services, other.id, { eventTypes: ['booking.created', 'booking.canceled'] });
    await update({ id: bookings.id, active: false }, other.key);
    const list = async (filter: Record<string, unknown>) => {
      const query = 'query ($filter: WebhookFilter) { webhooks(filter: $filter) { edges { node { id } } } }';
      const { data } = await api.ask(query, { filter }, other);
      return data.webhooks.edges.map(({ node }: { node: { id: string } }) => numberIn(node.id));
    };
    expect(await list({})).toEqual([bookings.id, coupons.id, all.id]);
    expect(await list({ active: true })).toEqual([coupons.id, all.id]);
    expect(await list({ active: false })).toEqual([bookings.id]);
    expect(await list({ eventType: 'coupon.applied' })).toEqual([coupons.id, all.id]);
    expect(await list({ eventType: 'booking.canceled', active: false })).toEqual([bookings.id]);
    const unknown = await api.ask('{ webhooks(filter: {eventType: "a.b"}) { edges { cursor } } }', {}, other);
    expect(unknown.errors[0].extensions.errors[0]).toMatchObject({ path: ['filter', 'eventType'] });
  });

  test('operational events can be named, and stand among the event types as reserved', async () => {
    const eventTypes = [...OPERATIONAL_EVENT_TYPES];
    const { data } = await create({ url: 'https://a.example.com/', eventTypes });
    expect(data.createWebhook.webhook.eventTypes).toEqual(eventTypes);
    const all = await api.ask('{ eventTypes { name description reserved schema } }', {}, tenant);
    for (const name of eventTypes) {
      const type = all.data.eventTypes.find((each: { name: string }) => each.name === name);
      expect(type).toMatchObject({ reserved: true, schema: { type: 'object', additionalProperties: false } });
      expect(type.description).toMatch(/webhook of the tenant/);
    }
  });
});
