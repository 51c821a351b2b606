import { describe, expect, test } from 'vitest';
import { type BulkAction, obstacleTo } from '../../dashboard/screens/deliveries/bulk/bulk-forms.js';
import { canCheck, filtersIn, matches, toFilter } from '../../dashboard/screens/deliveries/filters/filters.js';

const NOW = Date.parse('2026-01-31T12:00:30Z');
const filterOf = (address: Record<string, string>) => toFilter(filtersIn(address), NOW);
const row = {
  webhookId: 'wh_4',
  eventId: 'ev_1',
  eventType: 'booking.created',
  status: 'FAILED',
  attemptCount: 6,
  lastStatusCode: 503,
  lastErrorCode: 'HTTP_503',
  createdAt: '2026-01-31T11:00:00+00:00',
};

describe('the filters of an address', () => {
  test('become what the API takes, numbers as ids', () => {
    expect(
      filterOf({
        endpoint: '4',
        type: 'booking.created',
        status: 'FAILED',
        class: 'HTTP_5XX',
        event: 'ev_7',
      }),
    ).toEqual({
      webhookId: 'wh_4',
      eventType: 'booking.created',
      status: 'FAILED',
      statusCodeClass: 'HTTP_5XX',
      eventId: 'ev_7',
    });
  });

  test.each([
    ['RETRYING', { retrying: true }],
    ['ATTEMPT_FAILED', { lastAttemptFailed: true }],
  ])('with the state %s ask for it by the filter of its own', (status, filter) => {
    expect(filterOf({ status })).toEqual(filter);
  });

  test('are left out where the API would refuse them, or does not know them', () => {
    expect(
      filtersIn({ status: 'BROKEN', class: '5', range: 'constructor', since: 'x', endpoint: 'a', foo: '1' }),
    ).toEqual({});
  });

  test.each([
    ['2026-01-30', '2026-01-30T00:00:00.000Z'],
    ['2026-01-30T12:30+02:00', '2026-01-30T10:30:00.000Z'],
    ['2026-01-30T12:30:15.5Z', '2026-01-30T12:30:15.500Z'],
    ['1', undefined],
    ['yesterday', undefined],
    ['+275760-09-13T00:00:00Z', undefined],
  ])('that name the time %s ask for %s', (since, asked) => {
    expect(filterOf({ since }).since).toBe(asked);
  });

  test('with a range begin at the whole minute before it, as charts do: an operation over the list leaves nothing out', () => {
    const ageMs = NOW - Date.parse(filterOf({ range: '24h' }).since ?? '');
    expect(ageMs).toBeGreaterThanOrEqual(86_400_000);
    expect(ageMs).toBeLessThan(86_400_000 + 60_000);
  });

  test('with a text and no time ask for less than seven days', () => {
    const { since = '', payloadContains } = filterOf({ text: 'BK-1' });
    expect(payloadContains).toBe('BK-1');
    const ageMs = NOW - Date.parse(since);
    expect(ageMs).toBeLessThan(604_800_000);
    expect(ageMs).toBeGreaterThan(604_800_000 - 180_000);
  });
});

describe('a row', () => {
  test.each([
    [{ endpoint: '4' }, true],
    [{ endpoint: '5' }, false],
    [{ event: '1' }, true],
    [{ type: 'booking.created', status: 'FAILED' }, true],
    [{ status: 'PENDING' }, false],
    [{ status: 'RETRYING' }, false],
    [{ status: 'ATTEMPT_FAILED' }, true],
    [{ class: 'HTTP_5XX' }, true],
    [{ class: 'HTTP_4XX' }, false],
    [{ class: 'NO_ANSWER' }, false],
    [{ error: 'HTTP_503' }, true],
    [{ error: 'TIMEOUT' }, false],
    [{ since: '2026-01-31T11:00:00.900Z' }, true],
    [{ since: '2026-01-31T11:00:01Z' }, false],
    [{ until: '2026-01-31T11:00:00Z' }, false],
    [{ until: '2026-01-31T11:00:01Z' }, true],
  ])('is told by %j: %s', (address, expected) => {
    expect(matches(filterOf(address), row)).toBe(expected);
  });

  test('without an answer is of the class that says so, and of none before its first attempt', () => {
    const filter = filterOf({ class: 'NO_ANSWER' });
    expect(matches(filter, { ...row, lastStatusCode: null, lastErrorCode: 'TIMEOUT' })).toBe(true);
    expect(matches(filter, { ...row, lastStatusCode: null, lastErrorCode: null })).toBe(false);
  });

  test('does not tell what is in its payload, nor its key', () => {
    expect(canCheck(filterOf({ text: 'BK-1' }))).toBe(false);
    expect(canCheck(filterOf({ key: 'a' }))).toBe(false);
    expect(canCheck(filterOf({ class: 'HTTP_5XX', error: 'HTTP_503' }))).toBe(true);
  });

  test('is retrying while it waits after an attempt', () => {
    const filter = filterOf({ status: 'RETRYING' });
    expect(matches(filter, { ...row, status: 'PENDING', attemptCount: 1 })).toBe(true);
    expect(matches(filter, { ...row, status: 'PENDING', attemptCount: 0 })).toBe(false);
  });
});

describe('all that match', () => {
  const ALL: readonly BulkAction[] = ['resend', 'attempt', 'cancel'];
  const possible = (address: Record<string, string>) =>
    ALL.filter((action) => obstacleTo(action, filterOf(address)) === undefined);

  test.each([
    [{ status: 'FAILED' }, ['resend']],
    [{ status: 'SUCCEEDED', endpoint: '4' }, ['resend']],
    [{ status: 'PENDING' }, ['attempt', 'cancel']],
    [{ status: 'RETRYING', type: 'a.b' }, ['attempt', 'cancel']],
    [{ status: 'HELD' }, ['cancel']],
    [{ status: 'ATTEMPT_FAILED' }, ALL],
    [{ error: 'TIMEOUT', text: 'abc', since: '2026-01-30T00:00:00Z' }, ALL],
  ])('with %j can have these operations: %j', (address, expected) => {
    expect(possible(address)).toEqual(expected);
  });

  test('are never sent again or canceled without any filter', () => {
    expect(possible({})).toEqual(['attempt']);
    expect(obstacleTo('cancel', {})).toBe('everything');
  });
});
