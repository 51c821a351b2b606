import { expect, test } from 'vitest';
import { matches } from '../../src/domain/events/matching.js';

test('a webhook receives the event types that it names and no others', () => {
  const subscribed = ['booking.created', 'coupon.applied'];
  expect(matches(subscribed, 'booking.created')).toBe(true);
  expect(matches(subscribed, 'coupon.applied')).toBe(true);
  expect(matches(subscribed, 'booking.canceled')).toBe(false);
});

test('a name is compared whole, not as a prefix or a pattern', () => {
  expect(matches(['booking.created'], 'booking.created.late')).toBe(false);
  expect(matches(['booking.created.late'], 'booking.created')).toBe(false);
  expect(matches(['booking.created'], 'bookingxcreated')).toBe(false);
});

test('the wildcard receives every event type, also one that is registered later', () => {
  expect(matches(['*'], 'booking.created')).toBe(true);
  expect(matches(['*'], 'shipping.lost')).toBe(true);
});

test('a webhook without events receives nothing', () => {
  expect(matches([], 'booking.created')).toBe(false);
});
