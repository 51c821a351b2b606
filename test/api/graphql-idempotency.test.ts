import { afterAll, describe, expect, test } from 'vitest';
import { countEvents, couponPayload, makeTenant } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const emit = (input: object, by = tenant) =>
  api.by(by).mutate('emitEvent', input, 'event { id eventType body payload createdAt } deliveryCount duplicate');
const emitted = async (input: object, by = tenant) => dataOf(await emit(input, by)).emitEvent;
const countTenantEvents = () => countEvents(api.services, tenant.id);
/** An event of its own for each key. */
const coupon = (idempotencyKey: string, code = 'A') => ({
  event: 'coupon.applied',
  payload: { ...couponPayload, code },
  idempotencyKey,
});

describe('idempotency keys', () => {
  test('the same key answers with the same event', async () => {
    const first = await emitted(coupon('order 1'));
    expect(first.duplicate).toBe(false);
    expect(await emitted(coupon('order 1'))).toEqual({ ...first, duplicate: true });
  });

  test('another body or another type under the same key is a conflict', async () => {
    await emit(coupon('order 2'));
    const body = await emit(coupon('order 2', 'B'));
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
    const all = await Promise.all(Array.from({ length: 20 }, () => emitted(coupon('order 3'))));
    expect(new Set(all.map(({ event }) => event.id)).size).toBe(1);
    expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await countTenantEvents()).toBe(before + 1);
  });

  test('equal keys in one batch make one event, and another body under one of them is refused alone', async () => {
    const before = await countTenantEvents();
    const events = [coupon('order 4'), coupon('order 4'), coupon('order 4', 'B')];
    const selection = 'results { event { id body } deliveryCount duplicate error { code detail path } }';
    const { emitEvents } = dataOf(await api.by(tenant).mutate('emitEvents', { events }, selection));
    const [first, second, third] = emitEvents.results;
    expect(first).toMatchObject({ duplicate: false, error: null });
    expect(second).toMatchObject({ duplicate: true, error: null, event: { id: first.event.id } });
    expect(third).toMatchObject({ event: null, error: { code: 'CONFLICT' } });
    expect(await countTenantEvents()).toBe(before + 1);
  });

  test('a refused request keeps no key', async () => {
    await emit({ event: 'coupon.applied', payload: {}, idempotencyKey: 'order 5' });
    expect((await emitted(coupon('order 5'))).duplicate).toBe(false);
  });

  test('two tenants may use the same key', async () => {
    const other = await makeTenant(api.services);
    const mine = await emitted(coupon('order 6'));
    const theirs = await emitted(coupon('order 6', 'B'), other);
    expect(theirs.duplicate).toBe(false);
    expect(theirs.event.id).not.toBe(mine.event.id);
  });

  test.each([
    ['1 character', 'a', []],
    ['255 characters', 'a'.repeat(255), []],
    ['none', '', ['BAD_USER_INPUT']],
    ['256 characters', 'a'.repeat(256), ['BAD_USER_INPUT']],
    ['a control character', 'a\n', ['BAD_USER_INPUT']],
    ['a letter beyond ASCII', 'ä', ['BAD_USER_INPUT']],
  ])('a key of %s', async (_name, idempotencyKey, codes) => {
    expect(codesOf(await emit(coupon(idempotencyKey)))).toEqual(codes);
  });
});
