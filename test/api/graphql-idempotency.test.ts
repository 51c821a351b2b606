import { expect, test } from 'vitest';
import { countEvents, couponPayload } from '../support/factories.js';
import { dataOf, openGraphql } from '../support/graphql-api.js';

/** More about the keys is in test/operations/emit-events.test.ts and test/security/idempotency-input.test.ts. */
const { api, tenant, mutate } = await openGraphql();
const emit = (input: object) => mutate('emitEvent', input, 'event { id eventType body payload createdAt } duplicate');
const coupon = (idempotencyKey: string, code = 'A') => ({
  event: 'coupon.applied',
  payload: { ...couponPayload, code },
  idempotencyKey,
});

test('the same idempotency key answers with the same event', async () => {
  const { emitEvent } = dataOf(await emit(coupon('order 1')));
  expect(emitEvent.duplicate).toBe(false);
  expect(dataOf(await emit(coupon('order 1')))).toEqual({ emitEvent: { ...emitEvent, duplicate: true } });
});

test('another body or another type under the same key is a conflict', async () => {
  await emit(coupon('order 2'));
  const cancellation = { event: 'booking.canceled', payload: { booking_code: 'B', canceled_at: 'now' } };
  for (const other of [coupon('order 2', 'B'), { ...cancellation, idempotencyKey: 'order 2' }]) {
    const { status, errors } = await emit(other);
    expect(status).toBe(200);
    expect(errors[0].extensions).toEqual({
      code: 'CONFLICT',
      reason: 'idempotency_key_reused',
      errors: [{ path: ['input', 'idempotencyKey'], code: 'idempotency_key_reused', detail: errors[0].message }],
    });
  }
});

test('equal keys in one batch make one event, and another body under one of them is refused alone', async () => {
  const before = await countEvents(api.services, tenant.id);
  const events = [coupon('order 4'), coupon('order 4'), coupon('order 4', 'B')];
  const { emitEvents } = dataOf(
    await mutate('emitEvents', { events }, 'results { event { id } duplicate error { code } }'),
  );
  const [{ event }] = emitEvents.results;
  expect(emitEvents.results).toEqual([
    { event: { id: expect.any(String) }, duplicate: false, error: null },
    { event, duplicate: true, error: null },
    { event: null, duplicate: false, error: { code: 'CONFLICT' } },
  ]);
  expect(await countEvents(api.services, tenant.id)).toBe(before + 1);
});
