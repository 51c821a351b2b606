import { describe, expect, test } from 'vitest';
import {
  type AuthDraft,
  changeOf,
  draftOf,
  lacksPassword,
  type Options,
} from '../../dashboard/screens/endpoints/settings/draft.js';

/** The dialog of an endpoint's headers and auth. */

const stored = (auth: object | null) => ({ method: 'POST', headers: [], auth }) as unknown as Options;
const basic = stored({ kind: 'BASIC', username: 'hooks', header: null });
const keyOnly = stored({ kind: 'BASIC', username: null, header: null });

describe('auth', () => {
  test.each([
    ['none', stored(null), { kind: 'NONE', name: '' }],
    ['a user name and a password', basic, { kind: 'BASIC', name: 'hooks' }],
    ['an empty user name', stored({ kind: 'BASIC', username: '', header: null }), { kind: 'BASIC', name: '' }],
    ['a user name without a password', keyOnly, { kind: 'USERNAME', name: '' }],
    ['an API key', stored({ kind: 'API_KEY', username: null, header: 'X-Key' }), { kind: 'API_KEY', name: 'X-Key' }],
  ])('is kept as it is: %s', (_, options, shown) => {
    const draft = draftOf(options);
    expect(draft.auth).toEqual({ ...shown, secret: '' });
    expect(changeOf(draft)).toEqual({});
    expect(lacksPassword(draft)).toBe(false);
  });

  const changed = (options: Options, auth: AuthDraft) => ({ ...draftOf(options), auth });

  test('a user name without a password is sent with an empty one', () => {
    const draft = changed(basic, { kind: 'USERNAME', name: '', secret: 'key' });
    expect(changeOf(draft)).toEqual({ auth: { basic: { username: 'key', password: '' } } });
    expect(changeOf(changed(keyOnly, { kind: 'BASIC', name: '', secret: 'p' }))).toEqual({
      auth: { basic: { username: '', password: 'p' } },
    });
  });

  test('a changed user name needs its password again', () => {
    expect(lacksPassword(changed(basic, { kind: 'BASIC', name: 'others', secret: '' }))).toBe(true);
    expect(lacksPassword(changed(keyOnly, { kind: 'BASIC', name: '', secret: '' }))).toBe(true);
    expect(lacksPassword(changed(basic, { kind: 'BASIC', name: 'others', secret: 'p' }))).toBe(false);
  });
});

test('the method is sent when it was changed', () => {
  const draft = draftOf(basic);
  expect(changeOf({ ...draft, method: 'PUT' })).toEqual({ method: 'PUT' });
  expect(changeOf({ ...draftOf({ ...basic, method: 'PUT' }), method: 'POST' })).toEqual({ method: 'POST' });
});
