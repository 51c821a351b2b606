import { describe, expect, test } from 'vitest';
import { isOfDeliveries, listOf } from '../../dashboard/screens/operations/list-of.js';

describe('the list of an operation', () => {
  test.each([
    [
      { webhookId: '7', status: ['FAILED'], since: '2026-01-30T02:00:00.000Z', until: '2026-01-30T04:00:00.000Z' },
      { endpoint: '7', since: '2026-01-30T02:00:00.000Z', until: '2026-01-30T04:00:00.000Z' },
    ],
    [
      { eventType: 'order.paid', eventId: '12', since: '1970-01-01T00:00:00.000Z' },
      { type: 'order.paid', event: '12' },
    ],
    [{ eventTypes: ['order.paid', 'order.shipped'], webhookId: null }, {}],
  ])('of the selection %j has the filters %j, without the state that the operation changes', (filter, search) => {
    expect(listOf({ filter })).toEqual(search);
  });

  test('is that of deliveries which were there before', () => {
    expect(isOfDeliveries({ kind: 'RECOVER_DELIVERIES' })).toBe(true);
    expect(isOfDeliveries({ kind: 'REPLAY_EVENTS' })).toBe(false);
  });
});
