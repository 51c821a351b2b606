import { expect, test } from 'vitest';
import { ExpectedFanOut } from '../../src/domain/events/expected-fan-out.js';

const event = { tenantId: 1, eventType: 'a.b', onlyWebhookId: null };

test('an event is expected to make what the last one of its tenant and type made, and to cost something', () => {
  const fanOut = new ExpectedFanOut();
  fanOut.seen(event, 70);
  fanOut.seen({ ...event, eventType: 'b.c' }, 0);
  fanOut.seen({ ...event, tenantId: 2 }, 3);
  expect(fanOut.of(event)).toBe(70);
  expect(fanOut.of({ ...event, eventType: 'b.c' })).toBe(1);
  expect(fanOut.ofCall([event, event, { ...event, tenantId: 2 }])).toBe(143);
});

test('a test is for one webhook, and says nothing of other events', () => {
  const fanOut = new ExpectedFanOut();
  const test = { ...event, onlyWebhookId: 7 };
  fanOut.seen(event, 70);
  fanOut.seen(test, 1);
  expect([fanOut.of(test), fanOut.of(event)]).toEqual([1, 70]);
});

test('of what is not known, one event is expected to make few, several in one call many', () => {
  const fanOut = new ExpectedFanOut();
  expect(fanOut.of(event)).toBe(10);
  expect(fanOut.ofCall([event, event])).toBe(200);
});
