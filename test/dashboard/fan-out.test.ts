import { expect, test } from 'vitest';
import { changes } from '../../dashboard/screens/audit/changes.js';
import { arrangeFates, fixFor, versionAt } from '../../dashboard/screens/events/fan-out.js';
import { tally } from '../../dashboard/text/tally.js';

const active = { active: true, eventTypes: ['order.paid'] };

test('an endpoint that is not subscribed is offered the subscription, or the event once it is', () => {
  expect(fixFor('NOT_SUBSCRIBED', active, 'order.sent')).toBe('SUBSCRIBE');
  expect(fixFor('NOT_SUBSCRIBED', active, 'order.paid')).toBe('SEND');
  expect(fixFor('NOT_SUBSCRIBED', { active: true, eventTypes: ['*'] }, 'order.sent')).toBe('SEND');
});

test('an endpoint that was made later is sent the event, once it is active', () => {
  expect(fixFor('CREATED_LATER', active, 'order.paid')).toBe('SEND');
  expect(fixFor('INACTIVE', { ...active, active: false }, 'order.paid')).toBe('ENABLE');
});

test('where nothing can be done nothing is offered', () => {
  expect(fixFor('CREATED_LATER', null, 'order.paid')).toBeUndefined();
  expect(fixFor('NO_LONGER_KEPT', active, 'order.paid')).toBeUndefined();
  expect(fixFor('ABOUT_THIS_WEBHOOK', active, 'webhook.disabled')).toBeUndefined();
  expect(fixFor('FOR_ANOTHER_WEBHOOK', active, 'webhook.test')).toBeUndefined();
  expect(fixFor('UNKNOWN', active, 'order.paid')).toBe('LOOK_INTO_LOG');
});

test('surprises come first, then what was sent, and many that do not want it are apart', () => {
  const sent = (status: 'FAILED' | 'HELD' | 'SUCCEEDED') => ({ delivery: { status }, reason: null });
  const [failed, held, delivered] = [sent('FAILED'), sent('HELD'), sent('SUCCEEDED')];
  const filtered = { delivery: null, reason: 'FILTERED' as const };
  const usual = Array.from({ length: 4 }, () => ({ delivery: null, reason: 'NOT_SUBSCRIBED' as const }));
  expect(arrangeFates([...usual, delivered, held, filtered, failed])).toEqual({
    listed: [failed, held, filtered, delivered],
    usual,
  });
  expect(arrangeFates([usual[0]!, delivered])).toEqual({ listed: [delivered, usual[0]], usual: [] });
  expect(arrangeFates(usual)).toEqual({ listed: usual, usual: [] });
});

test('values are counted in the order that is asked for', () => {
  expect(tally(['FAILED', 'PENDING', 'SUCCEEDED'], ['SUCCEEDED', 'FAILED', 'SUCCEEDED'])).toEqual([
    { value: 'FAILED', times: 1 },
    { value: 'SUCCEEDED', times: 2 },
  ]);
});

test('an event was checked by the newest schema that had begun when it came', () => {
  const versions = [
    { version: 3, createdAt: '2026-03-01T00:00:00Z' },
    { version: 2, createdAt: '2026-02-01T00:00:00Z' },
  ];
  expect(versionAt(versions, '2026-02-01T00:00:00Z')).toBe(2);
  expect(versionAt(versions, '2026-04-01T00:00:00Z')).toBe(3);
  expect(versionAt(versions, '2026-01-31T23:59:59Z')).toBeUndefined();
});

test('an audit entry shows the fields that differ, added and removed ones too', () => {
  expect(
    changes(
      { active: true, url: 'https://a.example/', eventTypes: ['order.paid'], same: { a: 1 } },
      { active: false, eventTypes: ['order.paid', 'order.sent'], held: 3, same: { a: 1 } },
    ),
  ).toEqual([
    { field: 'active', before: true, after: false },
    { field: 'eventTypes', before: ['order.paid'], after: ['order.paid', 'order.sent'] },
    { field: 'held', before: undefined, after: 3 },
    { field: 'url', before: 'https://a.example/', after: undefined },
  ]);
  expect(changes(null, { constructor: 'x' })).toEqual([{ field: 'constructor', before: undefined, after: 'x' }]);
});

test('a field of an audit entry that looks the same has another secret', () => {
  const auth = { kind: 'OAUTH2', clientSecret: '[secret]' };
  const [change] = changes({ auth }, { auth });
  expect(change).toMatchObject({ field: 'auth', isSecret: true });
  expect(changes({ auth: '[secret]' }, { auth: '[secret]' })).toHaveLength(1);
  expect(changes({ auth: '[secret]' }, { auth })[0]).not.toHaveProperty('isSecret');
});
