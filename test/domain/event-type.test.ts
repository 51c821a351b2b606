import { describe, expect, test } from 'vitest';
import {
  EVENT_TYPE_NAME_LENGTH_MAX,
  isEventTypeName,
  listNames,
  matches,
  TEST_EVENT_TYPE,
  WILDCARD,
} from '../../src/domain/events/event-type.js';
import { isOperational, OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { words } from '../support/refusals.js';

describe('an event type', () => {
  test.each(
    words(`booking.created booking.canceled voucher.emitted coupon.applied ${TEST_EVENT_TYPE} a.b order_2.line_3.0`),
  )('may be called %s', (name) => {
    expect(isEventTypeName(name)).toBe(true);
  });

  test.each([
    ...words(`booking .created booking. booking..created Booking.created booking-x.created bücher.verkauft booking.*`),
    ...['', 'booking.created\n', ' booking.created', WILDCARD],
  ])('may not be called %j', (name) => {
    expect(isEventTypeName(name)).toBe(false);
  });

  test('has a name of at most 128 characters', () => {
    const longest = `a.${'b'.repeat(EVENT_TYPE_NAME_LENGTH_MAX - 2)}`;
    expect(longest).toHaveLength(128);
    expect(isEventTypeName(longest)).toBe(true);
    expect(isEventTypeName(`${longest}b`)).toBe(false);
  });
});

test('of many names a sentence has fifty, and how many more there are', () => {
  const names = Array.from({ length: 52 }, (_, n) => `type.n${n}`);
  expect(listNames(names.slice(0, 2))).toBe('type.n0, type.n1');
  expect(listNames(names.slice(0, 50))).toMatch(/, type\.n49$/);
  expect(listNames(names)).toMatch(/, type\.n49 and 2 more$/);
});

test.each([
  [['booking.created', 'coupon.applied'], 'booking.created', true],
  [['booking.created', 'coupon.applied'], 'coupon.applied', true],
  [['booking.created', 'coupon.applied'], 'booking.canceled', false],
  [['booking.created'], 'booking.created.late', false],
  [['booking.created.late'], 'booking.created', false],
  [['booking.created'], 'bookingxcreated', false],
  [['*'], 'booking.created', true],
  [['*'], 'registered.later', true],
  [[], 'booking.created', false],
])('a webhook with the events %j receives %s: %s', (subscribed, eventType, expected) => {
  expect(matches(subscribed, eventType)).toBe(expected);
});

test.each(OPERATIONAL_EVENT_TYPES)('%s is operational; a test or a booking is not', (type) => {
  expect(isOperational(type)).toBe(true);
  expect(['webhook.test', 'booking.created'].some(isOperational)).toBe(false);
});
