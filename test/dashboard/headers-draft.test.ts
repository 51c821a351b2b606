import { describe, expect, test } from 'vitest';
import {
  type AuthDraft,
  changeOf,
  draftOf,
  lacksClientSecret,
  lacksPassword,
  type Options,
} from '../../dashboard/screens/endpoints/settings/draft.js';
import { NO_OAUTH } from '../../dashboard/screens/endpoints/settings/oauth-draft.js';

/** The dialog of an endpoint's headers and auth. */

const stored = (auth: object | null) => ({ method: 'POST', callback: false, headers: [], auth }) as unknown as Options;
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
    expect(draft.auth).toEqual({ ...shown, secret: '', oauth: NO_OAUTH });
    expect(changeOf(draft)).toEqual({});
    expect(lacksPassword(draft)).toBe(false);
  });

  const changed = (options: Options, auth: Omit<AuthDraft, 'oauth'>) => ({
    ...draftOf(options),
    auth: { ...auth, oauth: NO_OAUTH },
  });

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

describe('OAuth 2', () => {
  const client = {
    tokenUrl: 'https://id.example.com/token',
    clientId: 'hooks',
    scope: 'a b',
    audience: null,
    clientAuth: 'BODY',
  };
  const options = stored({ kind: 'OAUTH2', username: null, header: null, ...client });
  const before = draftOf(options);
  const changed = (oauth: object, secret = '') => ({
    ...before,
    auth: { ...before.auth, secret, oauth: { ...before.auth.oauth, ...oauth } },
  });

  test('is kept as it is', () => {
    expect(before.auth.oauth).toEqual({ ...client, audience: '' });
    expect(changeOf(before)).toEqual({});
    expect(lacksClientSecret(before)).toBe(false);
  });

  test('keeps its client secret with another scope, audience or path of the token URL', () => {
    const draft = changed({ scope: ' ', audience: 'hooks', tokenUrl: 'https://id.example.com/oauth/token' });
    expect(lacksClientSecret(draft)).toBe(false);
    const oauth2 = { ...client, scope: null, audience: 'hooks', tokenUrl: 'https://id.example.com/oauth/token' };
    expect(changeOf(draft)).toEqual({ auth: { oauth2 } });
  });

  test('needs its client secret again for another token server, client or way', () => {
    for (const other of [{ tokenUrl: 'https://id.example.org/token' }, { clientId: 'b' }, { clientAuth: 'BASIC' }]) {
      expect(lacksClientSecret(changed(other))).toBe(true);
      expect(lacksClientSecret(changed(other, 'secret'))).toBe(false);
    }
    expect(changeOf(changed({ clientId: 'b' }, 'secret'))).toEqual({
      auth: { oauth2: { ...client, clientId: 'b', clientSecret: 'secret' } },
    });
    const begun = draftOf(stored(null));
    expect(lacksClientSecret({ ...begun, auth: { ...begun.auth, kind: 'OAUTH2', oauth: NO_OAUTH } })).toBe(true);
  });

  test('is removed, or another kind of auth takes its place', () => {
    expect(changeOf({ ...before, auth: { ...before.auth, kind: 'NONE' } })).toEqual({ auth: null });
    expect(changeOf({ ...before, auth: { ...before.auth, kind: 'BEARER', secret: 't' } })).toEqual({
      auth: { bearer: 't' },
    });
  });
});

test('the method is sent when it was changed', () => {
  const draft = draftOf(basic);
  expect(changeOf({ ...draft, method: 'PUT' })).toEqual({ method: 'PUT' });
  expect(changeOf({ ...draftOf({ ...basic, method: 'PUT' }), method: 'POST' })).toEqual({ method: 'POST' });
});
