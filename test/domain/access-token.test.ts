import { describe, expect, test } from 'vitest';
import { lifeMsOf, type TokenRow, tokenState } from '../../src/domain/oauth/access-token.js';
import { refusalNamed, tokenFailureDetail } from '../../src/domain/oauth/token-failure.js';

const BEFORE = { version: 6 };
const sealed = Buffer.from('sealed');
const VERSION = 7;
const USE = { version: VERSION, client: 'one' };
const HOUR_MS = 3_600_000;
const row = (values: Partial<TokenRow> = {}): TokenRow => ({
  version: VERSION,
  client: 'one',
  token: null,
  fetchingForMs: null,
  failed: null,
  ...values,
});
const token = (lifeMs: number, leftMs: number) => ({ sealed, ageMs: lifeMs - leftMs, leftMs });
const stateOf = (values: Partial<TokenRow>) => tokenState(row(values), USE);

describe('the row of a token', () => {
  test.each<[string, TokenRow | null, string]>([
    ['there is none', null, 'WANTED'],
    ['it is of a client before', row({ ...BEFORE, client: 'other', token: token(HOUR_MS, HOUR_MS) }), 'WANTED'],
    ['a daemon asks for a client before', row({ ...BEFORE, client: 'other', fetchingForMs: 5_000 }), 'WANTED'],
    ['it is of a later client', row({ version: VERSION + 1, client: 'other' }), 'NEWER'],
    ['it is of options before with the same client', row({ ...BEFORE, token: token(HOUR_MS, HOUR_MS) }), 'USED'],
    ['it is of later options with the same client', row({ version: VERSION + 1 }), 'WANTED'],
    ['it has no token', row(), 'WANTED'],
    ['a daemon asks', row({ fetchingForMs: 1 }), 'FETCHED'],
    ['the daemon that asked has said nothing in time', row({ fetchingForMs: 0 }), 'WANTED'],
    ['the last question has failed just now', row({ failed: { agoMs: 4_999, failure: 'TIMEOUT' } }), 'FAILED'],
    ['the last question has failed a while ago', row({ failed: { agoMs: 5_000, failure: 'TIMEOUT' } }), 'WANTED'],
    ['its token lasts', row({ token: token(HOUR_MS, 60_001) }), 'USED'],
    ['a minute of its token is left', row({ token: token(HOUR_MS, 60_000) }), 'WANTED'],
    ['its short token lasts', row({ token: token(30_000, 3_001) }), 'USED'],
    ['a tenth of its short token is left', row({ token: token(30_000, 3_000) }), 'WANTED'],
    ['two seconds of a very short token are left', row({ token: token(5_000, 2_000) }), 'WANTED'],
    ['half of a token of a second is left', row({ token: token(1_000, 501) }), 'USED'],
    ['a daemon asks for the next one', row({ token: token(HOUR_MS, 50_000), fetchingForMs: 9 }), 'FETCHED'],
    ['a daemon asks, by a clock that was set back', row({ fetchingForMs: HOUR_MS }), 'WANTED'],
    ['the clock was set back since a failure', row({ failed: { agoMs: -HOUR_MS, failure: 'TIMEOUT' } }), 'WANTED'],
    ['the clock was set back since a token came', row({ token: token(HOUR_MS, 2 * HOUR_MS) }), 'WANTED'],
  ])('says what to do when %s', (_, read, is) => {
    expect(tokenState(read, USE).is).toBe(is);
  });

  test('gives a token until a minute of its life is left, or a tenth of a short one', () => {
    expect(stateOf({ token: token(HOUR_MS, HOUR_MS / 2) })).toEqual({
      is: 'USED',
      sealed,
      ageMs: HOUR_MS / 2,
      forMs: HOUR_MS / 2 - 60_000,
    });
    expect(stateOf({ token: token(30_000, 30_000) })).toMatchObject({ forMs: 27_000 });
  });

  test('gives the old token while there is no new one, for as long as nobody asks, and not to its last moment', () => {
    const failed = { agoMs: 1_000, failure: 'TIMEOUT' };
    expect(stateOf({ token: token(HOUR_MS, 50_000), failed })).toMatchObject({ is: 'USED', forMs: 4_000 });
    expect(stateOf({ token: token(HOUR_MS, 3_000), failed })).toMatchObject({ is: 'USED', forMs: 2_000 });
    expect(stateOf({ token: token(HOUR_MS, 1_000), failed })).toEqual({ is: 'FAILED', failure: 'TIMEOUT' });
  });
});

test('a token lives as long as its server says, within limits, and an hour where it says nothing', () => {
  expect([undefined, 120, 0, -5, 1e300].map(lifeMsOf)).toEqual([HOUR_MS, 120_000, 1_000, 1_000, 24 * HOUR_MS]);
});

test('only known words of a token server are kept', () => {
  expect(['invalid_client', 'INVALID_CLIENT', 'token_type', 'secret', 'constructor'].map(refusalNamed)).toEqual([
    'INVALID_CLIENT',
    null,
    null,
    null,
    null,
  ]);
});

test.each([
  ['INVALID_SCOPE', /the scope/],
  ['CONNECT_TIMEOUT', /no connection was made in time/],
  ['HTTP_503', /status 503/],
])('the failure %s has a sentence', (code, words) => {
  expect(tokenFailureDetail(code)).toMatch(words);
});
