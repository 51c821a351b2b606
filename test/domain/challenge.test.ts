import { describe, expect, test } from 'vitest';
import { ASKS_MAX, nextAskInMs } from '../../src/domain/challenges/ask-times.js';
import { isElsewhere, judgeChallenge, judgeOptions, originOfService } from '../../src/domain/challenges/challenge.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';

const answered = (statusCode: number, body = '', headers: Record<string, string | string[]> = {}): SendResult => ({
  kind: 'response',
  statusCode,
  headers,
  body: Buffer.from(body),
  bodyTruncated: false,
  durationMs: 1,
});

describe('a challenge', () => {
  const text = 'Zq3-xUj_9c';

  test.each([
    ['the text', text],
    ['the text and a line break', `${text}\r\n`],
    ['a JSON text', `"${text}"`],
    ['the JSON of the request', `{"challenge":"${text}"}`],
    ['JSON with more in it', ` {"ok": true, "challenge": "${text}"} `],
  ])('is proved by %s', (_, body) => {
    expect(judgeChallenge(answered(200, body), text)).toEqual({ isProof: true, ratePerMinute: null });
    expect(judgeChallenge(answered(204, body), text).isProof).toBe(true);
  });

  test.each([
    ['a page', answered(200, '<html>Welcome</html>'), 'NO_ECHO', 'HTTP_200 without the challenge'],
    ['nothing', answered(200), 'NO_ECHO', 'HTTP_200 without the challenge'],
    ['a text around it', answered(200, `I got ${text}`), 'NO_ECHO', 'HTTP_200 without the challenge'],
    ['another text', answered(200, `{"challenge":"${text}x"}`), 'NO_ECHO', 'HTTP_200 without the challenge'],
    ['a list of it', answered(200, `["${text}"]`), 'NO_ECHO', 'HTTP_200 without the challenge'],
    ['null', answered(200, 'null'), 'NO_ECHO', 'HTTP_200 without the challenge'],
    ['an error that has it', answered(401, text), 'HTTP_401', 'HTTP_401'],
    ['a redirect that has it', answered(302, text), 'HTTP_302', 'HTTP_302'],
    [
      'no answer',
      { kind: 'error', code: 'CONNECT_FAILED', durationMs: 1 } as SendResult,
      'CONNECT_FAILED',
      'CONNECT_FAILED',
    ],
  ])('is not proved by %s', (_, result, code, said) => {
    expect(judgeChallenge(result, text)).toEqual({ isProof: false, code, said });
  });

  test('is not proved by a part of an answer', () => {
    expect(judgeChallenge({ ...answered(200, text), bodyTruncated: true } as SendResult, text).isProof).toBe(false);
  });
});

describe('an answer to OPTIONS', () => {
  const allowed = (origin: string | string[], rate?: string) =>
    answered(200, '', {
      'webhook-allowed-origin': origin,
      ...(rate === undefined ? {} : { 'webhook-allowed-rate': rate }),
    });
  const judge = (result: SendResult) => judgeOptions(result, 'hooks.example.com');

  test('proves it by this origin or any, in any case', () => {
    for (const origin of ['hooks.example.com', ' HOOKS.example.com ', '*']) {
      expect(judge(allowed(origin))).toEqual({ isProof: true, ratePerMinute: null });
    }
  });

  test('may name a rate', () => {
    const rates = ['120', '*', '0', '-1', '1e3', '1000000000', ''].map((rate) => judge(allowed('*', rate)));
    expect(rates.map((one) => one.isProof && one.ratePerMinute)).toEqual([120, null, null, null, null, null, null]);
  });

  test('proves nothing by another origin, by several, by an error, or by 200 alone', () => {
    const [code, said] = ['NO_ALLOWED_ORIGIN', 'HTTP_200 without WebHook-Allowed-Origin'];
    for (const origin of ['example.com', 'hooks.example.com.evil.com', 'hooks.example.com, *', ['*', '*']]) {
      expect(judge(allowed(origin))).toEqual({ isProof: false, code, said });
    }
    expect(judge(answered(405, '', { 'webhook-allowed-origin': '*' }))).toEqual({
      isProof: false,
      code: 'HTTP_405',
      said: 'HTTP_405',
    });
    expect(judge(answered(200, '', { 'access-control-allow-origin': '*' })).isProof).toBe(false);
  });
});

test('the service asks under the host of PUBLIC_URL', () => {
  expect(originOfService('https://hooks.example.com:8443/base')).toBe('hooks.example.com');
  expect(originOfService(undefined)).toBe('hookwright');
});

test('another scheme, host, port or path is another endpoint; another query is not', () => {
  const url = 'https://example.com/hooks?key=1';
  expect(isElsewhere(url, 'https://example.com:443/hooks?key=2')).toBe(false);
  for (const other of ['http://example.com/hooks', 'https://www.example.com/hooks', 'https://example.com:8443/hooks']) {
    expect(isElsewhere(url, other)).toBe(true);
  }
  expect(isElsewhere(url, 'https://example.com/hooks/')).toBe(true);
});

test('six asks come at once, after 1, 5 and 30 minutes, and after 3 and 12 hours', () => {
  const minutes = Array.from({ length: ASKS_MAX }, (_, before) => nextAskInMs(before + 1)).map(
    (ms) => ms && ms / 60_000,
  );
  expect(minutes).toEqual([1, 5, 30, 180, 720, null]);
});
