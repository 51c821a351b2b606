import { afterAll, describe, expect, test } from 'vitest';
import { countEvents, couponPayload, makeTenant } from '../support/factories.js';
import { type Answer, codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const emit = (input: Record<string, unknown>, asking: { key: string; tenant?: number } = tenant): Promise<Answer> =>
  api.ask(
    `mutation ($input: EmitEventInput!) { emitEvent(input: $input) {
       event { id eventType body payload createdAt } deliveryCount duplicate } }`,
    { input },
    { key: asking.key, ...(typeof asking.tenant === 'number' ? { tenant: asking.tenant } : {}) },
  );
const emitAll = (events: unknown[], allOrNothing = false): Promise<Answer> =>
  api.ask(
    `mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results {
       event { id body } deliveryCount duplicate error { code detail path } } } }`,
    { input: { events, allOrNothing } },
    tenant,
  );
const countTenantEvents = () => countEvents(api.services, tenant.id);
const coupon = (code: string) => ({ event: 'coupon.applied', payload: { ...couponPayload, code } });

describe('idempotency keys', () => {
  test('the same key answers with the same event', async () => {
    const first = await emit({ ...coupon('I1'), idempotencyKey: 'order 1' });
    const second = await emit({ ...coupon('I1'), idempotencyKey: 'order 1' });
    expect(first.data.emitEvent.duplicate).toBe(false);
    expect(second.data.emitEvent).toEqual({ ...first.data.emitEvent, duplicate: true });
  });

  test('another body or another type under the same key is a conflict', async () => {
    await emit({ ...coupon('I2'), idempotencyKey: 'order 2' });
    const body = await emit({ ...coupon('I2b'), idempotencyKey: 'order 2' });
    const type = await emit({
      event: 'booking.canceled',
      payload: { booking_code: 'B', canceled_at: 'now' },
      idempotencyKey: 'order 2',
    });
    for (const { status, errors } of [body, type]) {
      expect(status).toBe(200);
      expect(errors[0].extensions).toEqual({
        code: 'CONFLICT',
        reason: 'idempotency_key_reused',
        errors: [{ path: ['input', 'idempotencyKey'], code: 'idempotency_key_reused', detail: errors[0].message }],
      });
    }
  });

  test('equal keys in flight at once make one event', async () => {
    const before = await countTenantEvents();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => emit({ ...coupon('I3'), idempotencyKey: 'order 3' })),
    );
    expect(new Set(answers.map(({ data }) => data.emitEvent.event.id)).size).toBe(1);
    expect(answers.filter(({ data }) => !data.emitEvent.duplicate)).toHaveLength(1);
    expect(await countTenantEvents()).toBe(before + 1);
  });

  test('equal keys in one batch make one event, and another body under one of them is refused alone', async () => {
    const before = await countTenantEvents();
    const { data } = await emitAll([
      { ...coupon('I4'), idempotencyKey: 'order 4' },
      { ...coupon('I4'), idempotencyKey: 'order 4' },
      { ...coupon('other'), idempotencyKey: 'order 4' },
    ]);
    const [first, second, third] = data.emitEvents.results;
    expect(first).toMatchObject({ duplicate: false, error: null });
    expect(second).toMatchObject({ duplicate: true, error: null, event: { id: first.event.id } });
    expect(third).toMatchObject({ event: null, error: { code: 'CONFLICT' } });
    expect(await countTenantEvents()).toBe(before + 1);
  });

  test('a refused request keeps no key', async () => {
    await emit({ event: 'coupon.applied', payload: {}, idempotencyKey: 'order 5' });
    const { data } = await emit({ ...coupon('I5'), idempotencyKey: 'order 5' });
    expect(data.emitEvent.duplicate).toBe(false);
  });

  test('two tenants may use the same key', async () => {
    const other = await makeTenant(api.services);
    const mine = await emit({ ...coupon('I6'), idempotencyKey: 'order 6' });
    const theirs = await emit({ ...coupon('I7'), idempotencyKey: 'order 6' }, { key: other.key });
    expect(theirs.data.emitEvent).toMatchObject({ duplicate: false });
    expect(theirs.data.emitEvent.event.id).not.toBe(mine.data.emitEvent.event.id);
  });

  test.each([
    ['1 character', 'a', []],
    ['255 characters', 'a'.repeat(255), []],
    ['none', '', ['BAD_USER_INPUT']],
    ['256 characters', 'a'.repeat(256), ['BAD_USER_INPUT']],
    ['a control character', 'a\n', ['BAD_USER_INPUT']],
    ['a letter beyond ASCII', 'ä', ['BAD_USER_INPUT']],
  ])('a key of %s', async (_name, idempotencyKey, codes) => {
    expect(codesOf(await emit({ ...coupon('I8'), idempotencyKey }))).toEqual(codes);
  });
});
