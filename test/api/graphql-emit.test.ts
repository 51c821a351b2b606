import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { countEvents, couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { ask } = api.by(tenant);
afterAll(() => api.close());

const emit = (input: object, { key } = { key: tenant.key }) =>
  api.by({ key }).mutate('emitEvent', input, 'event { id eventType body payload createdAt } deliveryCount duplicate');
const emitAll = (events: unknown[], allOrNothing = false, { key } = { key: tenant.key }) => {
  const issue = 'error { code detail path issues { path code detail } }';
  const selection = `results { event { id body } deliveryCount duplicate ${issue} }`;
  return api.by({ key }).mutate('emitEvents', { events, allOrNothing }, selection);
};
const resultsOf = (answer: Awaited<ReturnType<typeof emitAll>>) => dataOf(answer).emitEvents.results;
const countTenantEvents = () => countEvents(api.services, tenant.id);
const applied = (payload: unknown) => ({ event: 'coupon.applied', payload });
const coupon = (code: string) => applied({ ...couponPayload, code });

describe('emitting one event', () => {
  test('answers after the commit with the event and how many deliveries it has', async () => {
    const { id } = await makeTenant(api.services);
    for (const eventTypes of [['*'], ['coupon.applied'], ['booking.created']]) {
      await makeWebhook(api.services, id, { eventTypes });
    }
    const { emitEvent } = dataOf(await emit(coupon('A'), await makeKey(api.services, id, ['events:emit'])));
    const { payload } = coupon('A');
    expect(emitEvent).toMatchObject({
      deliveryCount: 2,
      duplicate: false,
      event: { eventType: 'coupon.applied', payload, body: JSON.stringify(payload) },
    });
    const { event } = await api
      .by(await makeKey(api.services, id, ['events:read', 'deliveries:read']))
      .read(
        `{ event(id: "${emitEvent.event.id}") { id eventType body payload createdAt deliveries { edges { node { status } } } } }`,
      );
    const pending = { node: { status: 'PENDING' } };
    expect(event).toEqual({ ...emitEvent.event, deliveries: { edges: [pending, pending] } });
  });
});

describe('what may be emitted', () => {
  test.each<[string, object, string]>([
    ['an unknown type', { event: 'a.b', payload: {} }, 'event'],
    ['a reserved type', { event: 'webhook.test', payload: { message: 'm' } }, 'event'],
    ...OPERATIONAL_EVENT_TYPES.map((event): [string, object, string] => [
      `the reserved ${event}`,
      { event, payload: { count: '1' } },
      'event',
    ]),
    ['a missing field', applied({ code: 'A' }), 'payload.discount_type'],
    ['a number for a text', applied({ ...couponPayload, code: 1 }), 'payload.code'],
    ['a field too many', applied({ ...couponPayload, more: 'x' }), 'payload.more'],
  ])('%s is refused at its path', async (_name, input, path) => {
    const { errors, data, status } = await emit(input);
    expect({ data, status }).toEqual({ data: null, status: 200 });
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(errors[0].extensions.errors[0]).toMatchObject({
      path: ['input', ...path.split('.')],
      detail: expect.stringMatching(/./),
    });
  });

  test('the error for an unknown type names those that there are, without the reserved ones', async () => {
    const { errors } = await emit({ event: 'a.b', payload: {} });
    expect(errors[0].message).toContain('booking.canceled, booking.created, coupon.applied, voucher.emitted');
    for (const reserved of ['webhook.test', ...OPERATIONAL_EVENT_TYPES]) {
      expect(errors[0].message).not.toContain(reserved);
    }
  });

  test('a type that was registered a moment ago is known within seconds', async () => {
    await api.owner.query(
      `insert into hookwright.event_types (name, description, schema) values ('new.type', 'd', '{"type":"object"}')`,
    );
    await expect
      .poll(async () => codesOf(await emit({ event: 'new.type', payload: { any: [1] } })), { timeout: 5_000 })
      .toEqual([]);
  });

  test('a payload that is too long beside another field that has run: not the whole request is refused', async () => {
    const good = { ...coupon('BESIDE'), idempotencyKey: 'beside' };
    const answer = await ask(
      `mutation ($good: EmitEventInput!, $long: EmitEventInput!) {
        a: emitEvent(input: $good) { deliveryCount } b: emitEvent(input: $long) { deliveryCount } }`,
      { good, long: coupon('a'.repeat(262_145)) },
    );
    expect([answer.status, codesOf(answer)]).toEqual([200, ['PAYLOAD_TOO_LARGE']]);
    expect((await emit(good)).data.emitEvent.duplicate).toBe(true);
  });

  test('only the beginning of a refused property’s name is repeated', async () => {
    const name = 'a b '.repeat(50_000);
    const tooLarge = JSON.parse(`{"${name}": 1e400}`);
    for (const payload of [{ ...couponPayload, [name]: 1 }, tooLarge]) {
      const { errors } = await emit(applied(payload));
      expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
      expect(JSON.stringify(errors).length).toBeLessThan(1_000);
    }
  });
});

describe('emitting several events', () => {
  test('the good ones commit, and each bad one has its error at its index', async () => {
    const before = await countTenantEvents();
    const answer = await emitAll([
      coupon('S1'),
      { event: 'a.b', payload: {} },
      applied({ code: 'S2' }),
      coupon('S3'),
      coupon('a'.repeat(262_144)),
    ]);
    expect(resultsOf(answer)).toMatchObject([
      { event: { body: expect.stringContaining('S1') }, error: null },
      {
        error: {
          code: 'BAD_USER_INPUT',
          detail: expect.stringMatching(/^input\.events\.1\.event: There is no such event type/),
          path: ['input', 'events', '1', 'event'],
        },
      },
      {
        error: {
          code: 'BAD_USER_INPUT',
          detail: 'input.events.2.payload.discount_type: is required',
          path: ['input', 'events', '2', 'payload', 'discount_type'],
        },
      },
      { event: { body: expect.stringContaining('S3') }, error: null },
      {
        error: {
          code: 'PAYLOAD_TOO_LARGE',
          detail: expect.stringMatching(/^The payload has \d+ bytes as JSON; at most 262144 are allowed\.$/),
          path: ['input', 'events', '4', 'payload'],
        },
      },
    ]);
    expect(await countTenantEvents()).toBe(before + 2);
  });

  test('a conflict, an unknown tenant and a foreign one say where they are, and what is wrong', async () => {
    await emit({ ...coupon('C1'), idempotencyKey: 'conflict 1' });
    const conflict = await emitAll([coupon('C2'), { ...coupon('C3'), idempotencyKey: 'conflict 1' }]);
    expect(resultsOf(conflict)[1].error).toEqual({
      code: 'CONFLICT',
      detail: 'The idempotency key was used for another event type, payload, ordering key, former state or targets.',
      path: ['input', 'events', '1', 'idempotencyKey'],
      issues: [expect.objectContaining({ code: 'idempotency_key_reused' })],
    });
    const path = ['input', 'events', '0', 'tenantId'];
    const foreign = await emitAll([{ ...coupon('C4'), tenantId: '999999' }]);
    expect(resultsOf(foreign)).toMatchObject([{ error: { code: 'FORBIDDEN', path } }]);
    const platform = await makeKey(api.services, null, ['platform:admin']);
    const unknown = await emitAll([{ ...coupon('C5'), tenantId: '999999' }, coupon('C6')], false, platform);
    expect(resultsOf(unknown)).toMatchObject([
      { error: { code: 'NOT_FOUND', detail: 'There is no tenant tn_999999.', path } },
      { error: { code: 'FORBIDDEN', path: ['input', 'events', '1', 'tenantId'] } },
    ]);
  });

  test('the error of an event that breaks several rules names all of them', async () => {
    const [, { error }] = resultsOf(await emitAll([coupon('I1'), applied({ code: 1 })]));
    const path = ['input', 'events', '1', 'payload'];
    expect(error.issues).toEqual(
      expect.arrayContaining([
        { path: [...path, 'discount_type'], code: 'schema_required', detail: 'is required' },
        { path: [...path, 'code'], code: 'schema_type', detail: expect.any(String) },
      ]),
    );
    expect(error).toMatchObject({
      code: 'BAD_USER_INPUT',
      path: error.issues[0].path,
      detail: `${error.path.join('.')}: ${error.issues[0].detail} (and 1 more)`,
    });
  });

  test('all or nothing refuses all for one that is bad, before or in the database', async () => {
    await emit({ ...coupon('S4'), idempotencyKey: 'batch 4' });
    const before = await countTenantEvents();
    for (const [bad, code, field] of [
      [{ event: 'a.b', payload: {} }, 'BAD_USER_INPUT', 'event'],
      [{ ...coupon('S7'), idempotencyKey: 'batch 4' }, 'CONFLICT', 'idempotencyKey'],
    ] as const) {
      const { errors } = await emitAll([coupon('S5'), bad], true);
      expect(errors[0].extensions).toMatchObject({ code, errors: [{ path: ['input', 'events', 1, field] }] });
    }
    expect(await countTenantEvents()).toBe(before);
    expect(resultsOf(await emitAll([coupon('S8'), coupon('S9')], true))).toHaveLength(2);
    expect(await countTenantEvents()).toBe(before + 2);
  });

  test('more deliveries than one transaction has time for are refused, and the limit is named', async () => {
    const many = await makeTenant(api.services);
    const { id } = await makeWebhook(api.services, many.id);
    await api.owner.query(
      `insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret)
       select tenant_id, url, event_types, sealed_secret from hookwright.webhooks, generate_series(1, 1000) where id = $1`,
      [id],
    );
    const events = Array.from({ length: 100 }, (_, index) => coupon(`F${index}`));
    for (const allOrNothing of [false, true]) {
      const { errors } = await emitAll(events, allOrNothing, many);
      expect(errors[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: [{ path: ['input', 'events'], code: 'too_many_deliveries' }],
      });
      expect(errors[0].message).toContain('at most 100000 deliveries');
    }
    expect(await countEvents(api.services, many.id)).toBe(0);
  });

  test('100 are accepted, 101 are not, none is nothing', async () => {
    const events = Array.from({ length: 101 }, (_, index) => coupon(`N${index}`));
    expect(resultsOf(await emitAll(events.slice(0, 100)))).toHaveLength(100);
    expect((await emitAll(events)).errors[0].extensions.errors[0].path).toEqual(['input', 'events']);
    expect(resultsOf(await emitAll([]))).toEqual([]);
  });
});
