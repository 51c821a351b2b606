import { describe, expect, test } from 'vitest';
import { CONTENT_FORMATS, type ContentFormat } from '../../src/domain/content/formats.js';
import { judge, SEND_ERROR_CODES, type SendResult } from '../../src/domain/deliveries/outcome.js';
import { kindOf } from '../../src/domain/pacing/endpoint-window.js';
import { fc } from '../support/properties.js';

const now = new Date('2026-01-31T09:30:00Z');

const answer = { kind: 'response', headers: {}, body: Buffer.alloc(0), bodyTruncated: false, durationMs: 5 } as const;
const response = (statusCode: number, retryAfter?: string | string[]): SendResult => ({
  ...answer,
  statusCode,
  retryAfter,
});
const failed = { verdict: 'FAILED', retryAfterMs: null, closing: null };

describe('an attempt', () => {
  test.each([200, 201, 202, 204, 299])('that is answered with %i has succeeded', (status) => {
    expect(judge(response(status), now)).toEqual({ verdict: 'SUCCEEDED' });
  });

  test('has succeeded when the body of a 2xx was cut', () => {
    expect(judge({ ...answer, statusCode: 200, bodyTruncated: true }, now)).toEqual({ verdict: 'SUCCEEDED' });
  });

  test.each([101, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 409, 411, 500, 502, 504, 999])(
    'that is answered with %i has failed',
    (status) => {
      expect(judge(response(status), now)).toEqual({ ...failed, errorCode: `HTTP_${status}` });
    },
  );

  test('that is answered with 410 ends the webhook', () => {
    expect(judge(response(410), now)).toEqual({ verdict: 'GONE', errorCode: 'HTTP_410' });
    expect(judge(response(410, '60'), now).verdict).toBe('GONE');
  });

  test.each(SEND_ERROR_CODES)('without an answer has failed with the code %s', (code) => {
    expect(judge({ kind: 'error', code, durationMs: 5 }, now)).toEqual({ ...failed, errorCode: code });
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

describe('with the format TEAMS', () => {
  const error = (status: number) =>
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId tcid=0`;
  const says = (text: string, format: ContentFormat | null = 'TEAMS', statusCode = 200) =>
    judge({ ...answer, statusCode, body: Buffer.from(text) }, now, format);

  test.each([error(413), error(502), `"${error(400)}"`, ' webhook message DELIVERY failed.'])(
    'a 200 that says %j is a failure',
    (text) => {
      expect(says(text)).toEqual({ ...failed, errorCode: 'MESSAGE_REFUSED' });
    },
  );

  test('a 200 that says that there were too many messages closes the endpoint as a 429 does', () => {
    expect(says(error(429))).toEqual({ ...failed, errorCode: 'MESSAGE_REFUSED', closing: 'UNTIMED' });
    const result = { ...answer, statusCode: 200, body: Buffer.from(error(429)) };
    expect(kindOf(judge(result, now, 'TEAMS'), result)).toBe('STRAINED');
    expect(kindOf(judge({ ...result, body: Buffer.from(error(413)) }, now, 'TEAMS'), result)).toBe('OTHER');
  });

  test('any other text of a 2xx is a success, and other statuses are what they are', () => {
    for (const text of ['1', '', 'ok', 'Webhook', 'message delivery failed']) {
      expect(says(text)).toEqual({ verdict: 'SUCCEEDED' });
    }
    expect(says(error(429), 'TEAMS', 500)).toEqual({ ...failed, errorCode: 'HTTP_500' });
  });

  test.each([null, ...(Object.keys(CONTENT_FORMATS) as ContentFormat[]).filter((format) => format !== 'TEAMS')])(
    'the text changes nothing for the format %s',
    (format) => {
      expect(says(error(429), format)).toEqual({ verdict: 'SUCCEEDED' });
    },
  );
});

const past = 'Sat, 31 Jan 2026 09:29:59 GMT';

test.each<[number, string | string[] | undefined, number | null, number | 'UNTIMED' | null]>([
  // It delays the retry and closes the endpoint, for an hour at most.
  [429, '120', 120_000, 120_000],
  [503, '120', 120_000, 120_000],
  [429, 'Sat, 31 Jan 2026 09:31:00 GMT', 60_000, 60_000],
  [503, 'Sat, 31 Jan 2026 09:31:00 GMT', 60_000, 60_000],
  [429, '86400', 3_600_000, 3_600_000],
  [503, '86400', 3_600_000, 3_600_000],
  [503, ['5', '7'], 7_000, 7_000],
  // Other statuses have none.
  ...[301, 408, 413, 500, 502, 504].map((status): [number, string, null, null] => [status, '120', null, null]),
  // A 429 without a usable one closes for an open time, a 503 does not close.
  ...['soon', '-5', '', undefined].flatMap((value): [number, string | undefined, null, 'UNTIMED' | null][] => [
    [429, value, null, 'UNTIMED'],
    [503, value, null, null],
  ]),
  ...['0', past].flatMap((value): [number, string, number, 'UNTIMED' | null][] => [
    [429, value, 0, 'UNTIMED'],
    [503, value, 0, null],
  ]),
])(
  'a %d with Retry-After %j delays the retry by %s ms, and closes the endpoint for %s',
  (status, value, ...expected) => {
    const [retryAfterMs, closing] = expected;
    expect(judge(response(status, value), now)).toMatchObject({ retryAfterMs, closing });
  },
);
