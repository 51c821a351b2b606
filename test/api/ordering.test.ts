import { afterAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../support/factories.js';
import { numberIn } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

/** The order of a webhook, keys of emits, and what readers see of waiting deliveries. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const graphql = async (query: string, variables: object = {}) =>
  (await api.ask('POST //graphql', { json: { query, variables }, key: api.tenant.key })).body;
const mutate = (name: string, input: object, selection: string) => {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
  return graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`, { input });
};
const shown = 'webhook { id ordering { by keyPath keep settleSeconds settleMaxSeconds onFailure } }';
const create = async (ordering?: object) => {
  const input = { url: 'https://receiver.example.com/', eventTypes: ['coupon.applied'], ordering };
  return (await mutate('createWebhook', input, shown)).data.createWebhook.webhook;
};
const payload = { code: 'X', discount_type: 'x' };
const emit = (fields: object) =>
  mutate(
    'emitEvent',
    { event: 'coupon.applied', payload, ...fields },
    'event { id orderingKey } deliveryCount duplicate',
  );
const issueOf = (answer: { errors: { extensions: { errors: { path: string[]; code: string }[] } }[] }) => {
  const [{ path, code } = { path: [], code: '' }] = answer.errors[0]!.extensions.errors;
  return `${path.join('.')} ${code}`;
};
const never = { settleSeconds: null, settleMaxSeconds: null };
const unordered = { by: 'NONE', keyPath: null, keep: 'ALL', ...never, onFailure: 'CONTINUE' };

describe('the order of a webhook', () => {
  test('is none at first, and is set and removed option by option', async () => {
    const { id, ordering } = await create();
    expect(ordering).toEqual(unordered);
    const update = async (change: object | null) =>
      (await mutate('updateWebhook', { id, ordering: change }, shown)).data.updateWebhook.webhook.ordering;
    const set = { by: 'KEY', keyPath: 'order."the id"' };
    expect(await update(set)).toEqual({ ...unordered, ...set });
    expect(await update({ keep: 'LATEST', keyPath: null })).toEqual({ ...unordered, by: 'KEY', keep: 'LATEST' });
    expect(await update({ by: null, keep: null })).toEqual(unordered);
  });

  test('is an option in REST', async () => {
    const id = numberIn((await create()).id);
    const { body } = await api.ask(`PATCH /webhooks/${id}/options`, {
      json: { ordering: { by: 'ENDPOINT', on_failure: 'BLOCK' } },
    });
    const rest = { key_path: null, keep: 'ALL', settle_seconds: null, settle_max_seconds: null, warnings: [] };
    expect(body.data.ordering).toEqual({ ...rest, by: 'ENDPOINT', on_failure: 'BLOCK' });
    await api.ask(`PATCH /webhooks/${id}/options`, { json: { ordering: null } });
    const { body: read } = await api.ask(`GET /webhooks/${id}/options`);
    expect(read.data.ordering).toEqual({ ...rest, by: 'NONE', on_failure: 'CONTINUE' });
  });

  test('warns of a path that no subscribed event type has in its schema', async () => {
    const { id } = await create({ by: 'KEY', keyPath: 'customer.id' });
    const warnings = 'webhook { ordering { warnings { code message } } }';
    const update = async (ordering: object) =>
      (await mutate('updateWebhook', { id, ordering }, warnings)).data.updateWebhook.webhook.ordering.warnings;
    const warning = {
      code: 'path_not_in_schema',
      message: 'No subscribed event type has customer.id in its schema.',
    };
    expect(await update({ keep: 'LATEST' })).toEqual([warning]);
    expect(await update({ keyPath: 'code' })).toEqual([]);
    expect(await update({ by: 'ENDPOINT', keyPath: 'customer.id' })).toEqual([]);
    const { body } = await api.ask(`PATCH /webhooks/${numberIn(id)}/options`, { json: { ordering: { by: 'KEY' } } });
    expect(body.data.ordering.warnings).toEqual([{ ...warning, path: 'customer.id', event: null, types: null }]);
    await api.ask(`DELETE /webhooks/${numberIn(id)}`);
  });

  test.each(['', '.', 'a..b', 'a b', '$.a', 'x'.repeat(201)].filter(Boolean))('takes no path %j', async (keyPath) => {
    const input = { url: 'https://a.example.com/', eventTypes: ['*'], ordering: { by: 'KEY', keyPath } };
    expect(issueOf(await mutate('createWebhook', input, shown))).toBe('input.ordering.keyPath key_path_malformed');
  });
});

describe('an order that settles', () => {
  const latest = { by: 'KEY', keep: 'LATEST' };
  const set = async (ordering: object) => {
    const { id } = await create();
    return await mutate('updateWebhook', { id, ordering }, shown);
  };

  test('is set, changed and removed, also in REST', async () => {
    const { id, ordering } = await create({ ...latest, settleSeconds: 0.5 });
    expect(ordering).toMatchObject({ settleSeconds: 0.5, settleMaxSeconds: null });
    const path = `/webhooks/${numberIn(id)}/options`;
    const patch = (change: object) => api.ask(`PATCH ${path}`, { json: { ordering: change } });
    const { body } = await patch({ settle_max_seconds: 3_600 });
    expect(body.data.ordering).toMatchObject({ settle_seconds: 0.5, settle_max_seconds: 3_600 });
    const refused = await patch({ keep: 'ALL' });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      {
        pointer: '/ordering/keep',
        code: 'settle_needs_latest',
        detail: 'must stay LATEST while `settle_seconds` is set: remove that too',
      },
    ]);
    expect((await patch({ by: 'NONE' })).body.errors).toEqual([
      {
        pointer: '/ordering/by',
        code: 'settle_needs_order',
        detail: 'must stay KEY or ENDPOINT while `settle_seconds` is set: remove that too',
      },
    ]);
    const beyond = await api.ask(`PATCH ${path}`, {
      payload: '{"ordering": {"settle_seconds": 1e999}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(beyond.body.errors).toEqual([
      { pointer: '/ordering/settle_seconds', code: 'invalid_type', detail: 'must be 0.5 to 3600 seconds' },
    ]);
    const removed = await patch({ keep: 'ALL', settle_seconds: null, settle_max_seconds: null });
    expect(removed.body.data.ordering).toMatchObject({ keep: 'ALL', settle_seconds: null });
    await api.ask(`DELETE /webhooks/${numberIn(id)}`);
  });

  test.each([
    ['input.ordering.settleSeconds settle_needs_latest', { by: 'KEY', settleSeconds: 1 }],
    ['input.ordering.settleMaxSeconds settle_needs_latest', { by: 'KEY', settleMaxSeconds: 1 }],
    ['input.ordering.settleSeconds settle_needs_order', { by: 'NONE', keep: 'LATEST', settleSeconds: 1 }],
    ['input.ordering.settleMaxSeconds settle_needs_order', { keep: 'LATEST', settleMaxSeconds: 1 }],
    ['input.ordering.settleMaxSeconds contradiction', { ...latest, settleMaxSeconds: 1 }],
    ['input.ordering.settleMaxSeconds settle_out_of_range', { ...latest, settleSeconds: 2, settleMaxSeconds: 1.9 }],
    ['input.ordering.settleSeconds settle_out_of_range', { ...latest, settleSeconds: 0.4 }],
    ['input.ordering.settleSeconds settle_out_of_range', { ...latest, settleSeconds: 3_601 }],
  ])('is refused: %s', async (issue, ordering) => {
    expect(issueOf(await set(ordering))).toBe(issue);
  });

  test('waits for the end of daemons that do not know it', async () => {
    await api.owner.query(
      `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
       values ('00000000-0000-4000-8000-000000000001', 'old', 1, '0.1.0', 1, 0, now())`,
    );
    const { errors } = await set({ ...latest, settleSeconds: 1 });
    expect(errors[0].extensions).toMatchObject({ reason: 'older_daemons' });
    expect(errors[0].message).toContain('settleSeconds (from 0.2.0 on)');
    const { id } = await create();
    const inRest = await api.ask(`PATCH /webhooks/${numberIn(id)}/options`, {
      json: { ordering: { by: 'KEY', keep: 'LATEST', settle_seconds: 1 } },
    });
    expect(inRest.body.detail).toContain('does not know settle_seconds (from 0.2.0 on)');
    await api.owner.query('delete from hookwright.daemons');
  });

  test('shows until when a delivery settles, and which one took its place', async () => {
    const { id } = await create({ ...latest, settleSeconds: 3_600 });
    await emit({ orderingKey: 'x' });
    await emit({ orderingKey: 'x' });
    const { data } = await graphql(`{ deliveries(filter: { webhookId: "${id}" }) { edges { node {
      id status cancelReason settlesUntil nextAttemptAt supersededBy { id } } } } }`);
    const [newest, former] = data.deliveries.edges.map(({ node }: { node: object }) => node);
    expect(newest).toMatchObject({ status: 'PENDING', supersededBy: null });
    expect(newest.settlesUntil).toBe(newest.nextAttemptAt);
    expect(former).toMatchObject({ cancelReason: 'SUPERSEDED', settlesUntil: null, supersededBy: { id: newest.id } });
    await api.ask(`DELETE /webhooks/${numberIn(id)}`);
  });
});

describe('the key of an emit', () => {
  test('is kept with the event, whether a webhook orders by it or not', async () => {
    const { data } = await emit({ orderingKey: 'order-7' });
    expect(data.emitEvent.event.orderingKey).toBe('order-7');
    expect((await graphql(`{ event(id: "${data.emitEvent.event.id}") { orderingKey } }`)).data.event).toEqual({
      orderingKey: 'order-7',
    });
  });

  test.each(['', 'x'.repeat(256), 'ü', 'a\n'])('must be printable: not %j', async (orderingKey) => {
    expect(issueOf(await emit({ orderingKey }))).toBe('input.orderingKey ordering_key_malformed');
  });

  test('belongs to the idempotency key', async () => {
    const first = await emit({ orderingKey: 'a', idempotencyKey: 'once' });
    const again = await emit({ orderingKey: 'a', idempotencyKey: 'once' });
    expect(again.data.emitEvent).toMatchObject({ duplicate: true, event: { id: first.data.emitEvent.event.id } });
    for (const orderingKey of ['b', null]) {
      const { errors } = await emit({ orderingKey, idempotencyKey: 'once' });
      expect(errors[0].extensions).toMatchObject({ code: 'CONFLICT', reason: 'idempotency_key_reused' });
    }
  });
});

describe('deliveries that wait', () => {
  test('are listed, counted and say for which one they wait', async () => {
    const { id } = await create({ by: 'KEY' });
    for (const orderingKey of ['x', 'x', 'y', 'x']) {
      await emit({ orderingKey });
    }
    const list = `{ deliveries(filter: { webhookId: "${id}", status: WAITING }) {
      edges { node { id orderingKey waitsFor { status orderingKey waitsFor { id } } } } } }`;
    const waiting = (await graphql(list)).data.deliveries.edges.map(({ node }: { node: object }) => node);
    const one = { orderingKey: 'x', waitsFor: { status: 'PENDING', orderingKey: 'x', waitsFor: null } };
    expect(waiting).toEqual([expect.objectContaining(one), expect.objectContaining(one)]);
    const { data } = await graphql(`{
      webhook(id: "${id}") {
        heldCount backlog { due waiting }
        deliveries(filter: { status: WAITING }) { edges { node { id } } }
        orderingKeys(first: 1) { key waiting blockedAt head { status } } all: orderingKeys { key }
        blocked: orderingKeys(blocked: true) { key } }
      all: deliveries(filter: { status: WAITING }) { edges { node { id } } }
      backlog { waiting }
    }`);
    const ids = waiting.map((node: { id: string }) => ({ node: { id: node.id } }));
    expect(data).toEqual({
      webhook: {
        heldCount: 0,
        backlog: { due: 2, waiting: 2 },
        deliveries: { edges: ids },
        orderingKeys: [{ key: 'x', waiting: 2, blockedAt: null, head: { status: 'PENDING' } }],
        all: [{ key: 'x' }, { key: 'y' }],
        blocked: [],
      },
      all: { edges: ids },
      backlog: { waiting: 2 },
    });
    await mutate('updateWebhook', { id, active: false }, 'webhook { id }');
    expect((await graphql(`{ webhook(id: "${id}") { heldCount } }`)).data.webhook.heldCount).toBe(2);
    const other = await makeTenant(api.services);
    const { body } = await api.ask('POST //graphql', {
      json: { query: list.replace(`webhookId: "${id}", `, '') },
      key: other.key,
    });
    expect(body.data.deliveries.edges).toEqual([]);
  });

  test('of a key that is not blocked need no unblocking', async () => {
    const { id } = await create({ by: 'KEY', onFailure: 'BLOCK' });
    for (const key of ['x', '\0']) {
      const { errors } = await mutate('unblockKey', { webhookId: id, key, action: 'SKIP' }, 'webhook { id }');
      expect(errors[0].extensions).toMatchObject({ code: 'CONFLICT', reason: 'key_not_blocked' });
    }
  });
});
