import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, SEND_ERROR_CODES, type SendResult } from '../../src/domain/outcome.js';

const now = new Date('2026-01-31T09:30:00Z');

function response(statusCode: number, headers: Record<string, string | string[]> = {}): SendResult {
  return {
    kind: 'response',
    statusCode,
    headers,
    retryAfter: headers['retry-after'],
    body: Buffer.alloc(0),
    bodyTruncated: false,
    durationMs: 5,
  };
}

describe('an attempt', () => {
  test.each([200, 201, 202, 204, 299])('that is answered with %i has succeeded', (status) => {
    expect(judge(response(status), now)).toEqual({ verdict: 'SUCCEEDED' });
  });

  test('has succeeded when the body of a 2xx was cut', () => {
    const result = { ...response(200), bodyTruncated: true } as SendResult;
    expect(judge(result, now)).toEqual({ verdict: 'SUCCEEDED' });
  });

  test.each([101, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 409, 411, 500, 502, 504, 999])(
    'that is answered with %i has failed',
    (status) => {
      expect(judge(response(status), now)).toEqual({
        verdict: 'FAILED',
        errorCode: `HTTP_${status}`,
        retryAfterMs: null,
        closing: null,
      });
    },
  );

  test('that is answered with 410 ends the webhook', () => {
    expect(judge(response(410), now)).toEqual({ verdict: 'GONE', errorCode: 'HTTP_410' });
    expect(judge(response(410, { 'retry-after': '60' }), now).verdict).toBe('GONE');
  });

  test.each(SEND_ERROR_CODES)('without an answer has failed with the code %s', (code) => {
    expect(judge({ kind: 'error', code, durationMs: 5 }, now)).toEqual({
      verdict: 'FAILED',
      errorCode: code,
      retryAfterMs: null,
      closing: null,
    });
  });

  test('of any status is success for 2xx, gone for 410 and failure for the rest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
        const expected = status >= 200 && status < 300 ? 'SUCCEEDED' : status === 410 ? 'GONE' : 'FAILED';
        expect(judge(response(status), now).verdict).toBe(expected);
      }),
    );
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('on %i delays the retry and closes the endpoint', (status) => {
    expect(judge(response(status, { 'retry-after': '120' }), now)).toMatchObject({
      retryAfterMs: 120_000,
      closing: 120_000,
    });
    expect(judge(response(status, { 'retry-after': 'Sat, 31 Jan 2026 09:31:00 GMT' }), now)).toMatchObject({
      retryAfterMs: 60_000,
      closing: 60_000,
    });
  });

  test.each([429, 503])('on %i holds for 60 minutes at most', (status) => {
    expect(judge(response(status, { 'retry-after': '86400' }), now)).toMatchObject({
      retryAfterMs: 3_600_000,
      closing: 3_600_000,
    });
  });

  test('that came twice counts with its longer value', () => {
    expect(judge(response(503, { 'retry-after': ['5', '7'] }), now)).toMatchObject({
      retryAfterMs: 7000,
      closing: 7000,
    });
  });

  test.each([301, 408, 413, 500, 502, 504])('on %i is not heard', (status) => {
    expect(judge(response(status, { 'retry-after': '120' }), now)).toMatchObject({
      retryAfterMs: null,
      closing: null,
    });
  });

  test.each(['soon', '-5', ''])('%j on a 429 closes for an open time, and on a 503 not at all', (value) => {
    const headers = { 'retry-after': value };
    expect(judge(response(429, headers), now)).toMatchObject({ retryAfterMs: null, closing: 'UNTIMED' });
    expect(judge(response(503, headers), now)).toMatchObject({ retryAfterMs: null, closing: null });
  });

  test('missing on a 429 closes for an open time, and on a 503 not at all', () => {
    expect(judge(response(429), now)).toMatchObject({ retryAfterMs: null, closing: 'UNTIMED' });
    expect(judge(response(503), now)).toMatchObject({ retryAfterMs: null, closing: null });
  });

  test('of 0, or a date in the past, closes a 429 for an open time, and a 503 not at all', () => {
    for (const value of ['0', 'Sat, 31 Jan 2026 09:29:59 GMT']) {
      const headers = { 'retry-after': value };
      expect(judge(response(429, headers), now)).toMatchObject({ retryAfterMs: 0, closing: 'UNTIMED' });
      expect(judge(response(503, headers), now)).toMatchObject({ retryAfterMs: 0, closing: null });
    }
  });
});
