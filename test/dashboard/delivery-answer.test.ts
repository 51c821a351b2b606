import { describe, expect, test } from 'vitest';
import {
  type AnswerFields,
  answerOf,
  answerText,
  hexDump,
  phasesOf,
} from '../../dashboard/screens/deliveries/one/answer.js';
import { summaryOf } from '../../dashboard/screens/deliveries/one/attempt-summary.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const LATER = '2026-01-31T12:04:00+00:00';
const BEFORE = '2026-01-31T11:59:00+00:00';
const active = { active: true, disabledReason: null, closedUntil: null };

describe('the answer about a delivery', () => {
  test.each<[string, AnswerFields, object]>([
    ['delivered', { status: 'SUCCEEDED', attemptCount: 2 }, { kind: 'delivered', tries: 2 }],
    [
      'failed for good',
      { status: 'FAILED', attemptCount: 6, lastErrorCode: 'TIMEOUT' },
      { kind: 'failed', code: 'TIMEOUT', tries: 6, gone: false },
    ],
    [
      'failed at once, because the endpoint is gone',
      { status: 'FAILED', attemptCount: 1, lastErrorCode: 'HTTP_410' },
      { kind: 'failed', code: 'HTTP_410', tries: 1, gone: true },
    ],
    [
      'tried again later',
      {
        status: 'PENDING',
        attemptCount: 1,
        lastErrorCode: 'HTTP_503',
        nextAttemptAt: LATER,
        webhook: active,
      },
      { kind: 'retrying', code: 'HTTP_503', tries: 1, next: LATER },
    ],
    [
      'due to be tried again',
      { status: 'PENDING', attemptCount: 1, lastErrorCode: 'HTTP_503', nextAttemptAt: BEFORE },
      { kind: 'retrying', code: 'HTTP_503', tries: 1, next: undefined },
    ],
    [
      'waiting for the end of a pause',
      {
        status: 'PENDING',
        attemptCount: 0,
        nextAttemptAt: LATER,
        webhook: { ...active, closedUntil: LATER },
      },
      { kind: 'waiting', until: LATER },
    ],
    [
      'waiting until its key is quiet',
      { status: 'PENDING', attemptCount: 0, nextAttemptAt: LATER, settlesUntil: LATER, webhook: active },
      { kind: 'settling', until: LATER },
    ],
    [
      'due for the first time',
      {
        status: 'PENDING',
        attemptCount: 0,
        nextAttemptAt: BEFORE,
        webhook: { ...active, closedUntil: BEFORE },
      },
      { kind: 'queued', next: undefined },
    ],
    [
      'held while paused',
      { status: 'HELD', attemptCount: 0, webhook: { active: false, disabledReason: 'PAUSED' } },
      { kind: 'held', why: 'paused' },
    ],
    [
      'held after failures',
      { status: 'HELD', attemptCount: 0, webhook: { active: false, disabledReason: 'FAILURES' } },
      { kind: 'held', why: 'disabled' },
    ],
    [
      'held until its endpoint is verified',
      { status: 'HELD', attemptCount: 0, webhook: { active: false, disabledReason: 'UNVERIFIED' } },
      { kind: 'held', why: 'unverified' },
    ],
    ['kept', { status: 'HELD', attemptCount: 0, webhook: active }, { kind: 'held', why: 'kept' }],
    [
      'canceled',
      { status: 'CANCELED', attemptCount: 0, cancelReason: 'BY_USER' },
      { kind: 'canceled', reason: 'BY_USER' },
    ],
  ])('says that it is %s', (_, delivery, expected) => {
    expect(answerOf(delivery, NOW)).toEqual(expected);
  });
});

describe('the phases of an attempt', () => {
  test('stand one after the other, what is left at the end', () => {
    expect(phasesOf({ durationMs: 100, dnsMs: 5, connectMs: 10, tlsMs: 20, firstByteMs: 50 })).toEqual([
      { name: 'dns', startMs: 0, ms: 5 },
      { name: 'connect', startMs: 5, ms: 10 },
      { name: 'tls', startMs: 15, ms: 20 },
      { name: 'firstByte', startMs: 35, ms: 50 },
      { name: 'rest', startMs: 85, ms: 15 },
    ]);
  });

  test('leave out what did not happen', () => {
    expect(phasesOf({ durationMs: 15_000, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null })).toEqual([
      { name: 'rest', startMs: 0, ms: 15_000 },
    ]);
    expect(phasesOf({ durationMs: 3, firstByteMs: 3 })).toEqual([{ name: 'firstByte', startMs: 0, ms: 3 }]);
  });
});

test('bytes that are not text are shown in hex, with their letters beside them', () => {
  const base64 = Buffer.from([0, 65, 66, 255, ...Buffer.from('0123456789abcdef')]).toString('base64');
  expect(hexDump(base64, 512)).toBe(
    [
      '000000  00 41 42 ff 30 31 32 33 34 35 36 37 38 39 61 62  .AB.0123456789ab',
      `000010  63 64 65 66${' '.repeat(36)}  cdef`,
    ].join('\n'),
  );
  expect(hexDump(base64, 16).split('\n')).toHaveLength(1);
});

describe('an attempt', () => {
  test('is answered by a status with its phrase, or by the reason why there was no answer', () => {
    expect(answerText({ statusCode: 410, errorCode: 'HTTP_410' })).toBe('410 Gone');
    expect(answerText({ statusCode: 299, errorCode: null })).toBe('299');
    expect(answerText({ statusCode: null, errorCode: 'TIMEOUT' })).toBe('TIMEOUT');
    expect(answerText({ statusCode: 200, errorCode: 'BODY_TIMEOUT' })).toBe('BODY_TIMEOUT');
  });

  test('is a text for a customer with time, ids, status and body, and without signature and payload', () => {
    const exchange = {
      method: 'PUT',
      url: 'https://example.com/hooks',
      statusCode: 503,
      errorCode: 'HTTP_503',
      requestHeaders: { 'X-Acme-Delivery': '42', 'webhook-id': '42', 'webhook-signature': 'v1,secret' },
      responseHeaders: { 'X-Request-Id': 'r-1', server: 'nginx' },
      responseBody: 'no backend',
    };
    expect(summaryOf({ number: 2, startedAt: '2026-01-31T12:00:30+01:00', durationMs: 83.6 }, exchange)).toBe(
      [
        'PUT https://example.com/hooks',
        'Time: 2026-01-31T11:00:30.000Z (attempt 2)',
        'X-Acme-Delivery: 42',
        'webhook-id: 42',
        'Status: 503 Service Unavailable, after 84 ms',
        'X-Request-Id: r-1',
        '',
        'no backend',
      ].join('\n'),
    );
  });
});
