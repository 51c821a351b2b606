import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { isDeeperThan } from '../../src/domain/events/payload.js';
import { countEvents, couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { type Answer, codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const emit = (input: Record<string, unknown>, { key }: { key: string } = tenant): Promise<Answer> =>
  api.ask(
    `mutation ($input: EmitEventInput!) { emitEvent(input: $input) {
       event { id eventType body payload createdAt } deliveryCount duplicate } }`,
    { input },
    { key },
  );
const emitAll = (events: unknown[], allOrNothing = false, { key } = { key: tenant.key }): Promise<Answer> =>
  api.ask(
    `mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results {
       event { id body } deliveryCount duplicate error { code detail path issues { path code detail } } } } }`,
    { input: { events, allOrNothing } },
    { key },
  );
const countTenantEvents = () => countEvents(api.services, tenant.id);
const coupon = (code: string) => ({ event: 'coupon.applied', payload: { ...couponPayload, code } });

describe('emitting one event', () => {
  test('answers after the commit with the event and how many deliveries it has', async () => {
    const { id } = await makeTenant(api.services);
    const { key } = await makeKey(api.services, id, ['events:emit']);
    await makeWebhook(api.services, id);
    await makeWebhook(api.services, id, { eventTypes: ['coupon.applied'] });
    await makeWebhook(api.services, id, { eventTypes: ['booking.created'] });
    const { data, errors } = await emit(coupon('A'), { key });
    expect(errors).toEqual([]);
    expect(data.emitEvent).toMatchObject({
      deliveryCount: 2,
      duplicate: false,
      event: { eventType: 'coupon.applied', payload: coupon('A').payload, body: JSON.stringify(coupon('A').payload) },
    });
    const reader = await makeKey(api.services, id, ['events:read', 'deliveries:read']);
    const read = await api.ask(
      `{ event(id: "${data.emitEvent.event.id}") { id eventType body payload createdAt deliveries { edges { node { status } } } } }`,
      {},
      reader,
    );
    expect(read.data.event).toEqual({
      ...data.emitEvent.event,
      deliveries: { edges: [{ node: { status: 'PENDING' } }, { node: { status: 'PENDING' } }] },
    });
  });

  test('the body is the payload exactly: slashes, emoji, NUL and a lone surrogate', async () => {
    const payload = { code: 'https://a/b — 😀 \u0000 \ud800', discount_type: '"quoted"\\' };
    const { data } = await emit({ event: 'coupon.applied', payload });
    expect(data.emitEvent.event.body).toBe(JSON.stringify(payload));
    const read = await api.ask(`{ event(id: "${data.emitEvent.event.id}") { body } }`, {}, tenant);
    expect(read.data.event.body).toBe(JSON.stringify(payload));
  });

  test('a payload written into the document works as one in variables', async () => {
    const { data } = await api.ask(
      `mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "X", discount_type: "Y"}}) { event { body } } }`,
      {},
      tenant,
    );
    expect(data.emitEvent.event.body).toBe('{"code":"X","discount_type":"Y"}');
  });
});

describe('what may be emitted', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['an unknown type', { event: 'a.b', payload: {} }, ['input', 'event']],
    ['a reserved type', { event: 'webhook.test', payload: { message: 'm' } }, ['input', 'event']],
    ...OPERATIONAL_EVENT_TYPES.map((event): [string, Record<string, unknown>, string[]] => [
      `the reserved ${event}`,
      { event, payload: { count: '1' } },
      ['input', 'event'],
    ]),
    ['a missing field', { event: 'coupon.applied', payload: { code: 'A' } }, ['input', 'payload', 'discount_type']],
    [
      'a number for a text',
      { event: 'coupon.applied', payload: { ...couponPayload, code: 1 } },
      ['input', 'payload', 'code'],
    ],
    [
      'a field too many',
      { event: 'coupon.applied', payload: { ...couponPayload, more: 'x' } },
      ['input', 'payload', 'more'],
    ],
  ])('%s is refused at its place', async (_name, input, path) => {
    const { errors, data, status } = await emit(input);
    expect({ data, status }).toEqual({ data: null, status: 200 });
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(errors[0].extensions.errors[0]).toMatchObject({ path, detail: expect.stringMatching(/./) });
  });

  test('an unknown type is told which types there are, without the reserved ones', async () => {
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

  test.each([
    ['as long as allowed', 262_144, 200, []],
    ['one byte longer', 262_145, 413, ['PAYLOAD_TOO_LARGE']],
  ])('a payload %s, in UTF-8 bytes of its JSON', async (_name, bytes, status, codes) => {
    const frame = Buffer.byteLength(JSON.stringify({ code: '', discount_type: 'é' }));
    const payload = { code: 'a'.repeat(bytes - frame), discount_type: 'é' };
    expect(Buffer.byteLength(JSON.stringify(payload))).toBe(bytes);
    const answer = await emit({ event: 'coupon.applied', payload });
    expect(answer.status).toBe(status);
    expect(codesOf(answer)).toEqual(codes);
  });

  test('a payload that is too long beside another field that has run: not the whole request is refused', async () => {
    const mutation = `mutation ($good: EmitEventInput!, $long: EmitEventInput!) {
      a: emitEvent(input: $good) { deliveryCount } b: emitEvent(input: $long) { deliveryCount }
    }`;
    const good = { ...coupon('BESIDE'), idempotencyKey: 'beside' };
    const long = coupon('a'.repeat(262_145));
    const answer = await api.ask(mutation, { good, long }, tenant);
    expect(answer.status).toBe(200);
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE']);
    expect((await emit(good)).data.emitEvent.duplicate).toBe(true);
  });

  test('of the name of a property that is refused only the beginning is repeated', async () => {
    const name = 'a b '.repeat(50_000);
    const tooLarge = JSON.parse(`{"${name}": 1e400}`);
    for (const payload of [{ ...couponPayload, [name]: 1 }, tooLarge]) {
      const { errors } = await emit({ event: 'coupon.applied', payload });
      expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
      expect(JSON.stringify(errors).length).toBeLessThan(1_000);
    }
  });

  test('nesting of 64 levels is judged, of 65 refused, of 100,000 refused without harm', async () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    expect(isDeeperThan(nested(64), 64)).toBe(false);
    expect(isDeeperThan(nested(65), 64)).toBe(true);
    expect(isDeeperThan(nested(100_000), 64)).toBe(true);
    const { errors } = await emit({ event: 'coupon.applied', payload: nested(65) });
    expect(errors[0].extensions.errors).toEqual([
      { path: ['input', 'payload'], code: 'too_deep', detail: expect.stringContaining('64') },
    ]);
  });

  test.each([['a text'], [1], [null], [['a']], [true]])('the payload %j is no JSON object', async (payload) => {
    const { status, errors } = await emit({ event: 'coupon.applied', payload });
    expect(status).toBe(400);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['input', 'payload'] }] });
  });
});

describe('emitting several events', () => {
  test('the good ones commit, and each bad one has its error at its index', async () => {
    const before = await countTenantEvents();
    const { data } = await emitAll([
      coupon('S1'),
      { event: 'a.b', payload: {} },
      { event: 'coupon.applied', payload: { code: 'S2' } },
      coupon('S3'),
      { event: 'coupon.applied', payload: { ...couponPayload, code: 'a'.repeat(262_144) } },
    ]);
    const { results } = data.emitEvents;
    expect(results.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)).toEqual([
      null,
      'BAD_USER_INPUT',
      'BAD_USER_INPUT',
      null,
      'PAYLOAD_TOO_LARGE',
    ]);
    expect(results[4].error).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      detail: expect.stringMatching(/^The payload has \d+ bytes as JSON; at most 262144 are allowed\.$/),
      path: ['input', 'events', '4', 'payload'],
    });
    expect(results[0].event.body).toContain('S1');
    expect(results[3].event.body).toContain('S3');
    expect(results[1].error).toMatchObject({
      detail: expect.stringMatching(/^input\.events\.1\.event: There is no such event type/),
      path: ['input', 'events', '1', 'event'],
    });
    expect(results[2].error).toMatchObject({
      detail: 'input.events.2.payload.discount_type: is required',
      path: ['input', 'events', '2', 'payload', 'discount_type'],
    });
    expect(await countTenantEvents()).toBe(before + 2);
  });

  test('a conflict, an unknown tenant and a foreign one say where they are, and what is wrong', async () => {
    await emit({ ...coupon('C1'), idempotencyKey: 'conflict 1' });
    const conflict = await emitAll([coupon('C2'), { ...coupon('C3'), idempotencyKey: 'conflict 1' }]);
    expect(conflict.data.emitEvents.results[1].error).toEqual({
      code: 'CONFLICT',
      detail: 'The idempotency key was used for another event type or payload.',
      path: ['input', 'events', '1', 'idempotencyKey'],
      issues: [expect.objectContaining({ code: 'idempotency_key_reused' })],
    });
    const foreign = await emitAll([{ ...coupon('C4'), tenantId: '999999' }]);
    const path = ['input', 'events', '0', 'tenantId'];
    expect(foreign.data.emitEvents.results[0].error).toMatchObject({ code: 'FORBIDDEN', path });
    const platform = await makeKey(api.services, null, ['platform:admin']);
    const events = [{ ...coupon('C5'), tenantId: '999999' }, coupon('C6')];
    const unknown = await emitAll(events, false, platform);
    expect(unknown.data.emitEvents.results).toMatchObject([
      { error: { code: 'NOT_FOUND', detail: 'There is no tenant tn_999999.', path } },
      { error: { code: 'FORBIDDEN', path: ['input', 'events', '1', 'tenantId'] } },
    ]);
  });

  test('one that breaks several rules is told all of them', async () => {
    const { data } = await emitAll([coupon('I1'), { event: 'coupon.applied', payload: { code: 1 } }]);
    const place = ['input', 'events', '1', 'payload'];
    const { error } = data.emitEvents.results[1];
    expect(error.issues).toEqual(
      expect.arrayContaining([
        { path: [...place, 'discount_type'], code: 'schema_required', detail: 'is required' },
        { path: [...place, 'code'], code: 'schema_type', detail: expect.any(String) },
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
    const bad = await emitAll([coupon('S5'), { event: 'a.b', payload: {} }], true);
    expect(bad.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input', 'events', 1, 'event'] }],
    });
    const conflict = await emitAll([coupon('S6'), { ...coupon('S7'), idempotencyKey: 'batch 4' }], true);
    expect(conflict.errors[0].extensions).toMatchObject({
      code: 'CONFLICT',
      errors: [{ path: ['input', 'events', 1, 'idempotencyKey'] }],
    });
    expect(await countTenantEvents()).toBe(before);
    const good = await emitAll([coupon('S8'), coupon('S9')], true);
    expect(good.data.emitEvents.results).toHaveLength(2);
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
    expect((await emitAll(events.slice(0, 100))).data.emitEvents.results).toHaveLength(100);
    expect((await emitAll(events)).errors[0].extensions.errors[0].path).toEqual(['input', 'events']);
    expect((await emitAll([])).data.emitEvents.results).toEqual([]);
  });
});
