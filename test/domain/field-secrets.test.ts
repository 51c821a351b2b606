import { describe, expect, test } from 'vitest';
import type { Fields } from '../../src/domain/fields/field.js';
import { secretFields, secretsOf, withEachSecret, withSecrets } from '../../src/domain/fields/secrets.js';

const sealed = Buffer.from('bytes').toString('base64');
const stored = {
  url: 'https://example.com/hooks',
  name: 'Booking system',
  headers: { 'X-Key': { sealed, length: 5 }, 'X-Env': { value: 'prod' } },
  auth: { kind: 'BASIC', username: 'hooks', sealed },
  tls: { ca: { pem: 'a', subjects: [], endsAt: '' }, client: { subject: 'CN=hooks', sealed } },
};

describe('the secrets among settings', () => {
  test('have a name, a value, and the addresses that they may go to', () => {
    const addresses = [stored.url];
    expect(secretsOf(stored)).toMatchObject([
      { name: 'X-Key', sealedAs: 'headers/x-key', place: 'delivery', value: Buffer.from('bytes'), addresses },
      { name: 'auth', sealedAs: 'auth', place: 'delivery', value: Buffer.from('bytes'), addresses },
      { name: 'tls', sealedAs: 'tls', place: 'delivery', value: Buffer.from('bytes'), addresses },
    ]);
    expect(secretsOf({ ...stored, headers: null, auth: null, tls: null })).toEqual([]);
  });

  test('of an open auth are found in each form that requests have', async () => {
    const open = await withEachSecret(stored, async () => 'pass');
    expect(secretsOf(open).map(({ value, forms }) => [value, ...forms])).toEqual([
      ['pass'],
      ['pass', 'Basic aG9va3M6cGFzcw==', 'aG9va3M6cGFzcw=='],
      ['pass'],
    ]);
  });

  test('of client credentials go to the token server too, and are found as it gets them', async () => {
    const client = { kind: 'OAUTH2', tokenUrl: 'https://id.example.com/token', clientId: 'a:b', sealed };
    const open = await withEachSecret({ url: stored.url, auth: client }, async () => 'p&s');
    const [secret] = secretsOf(open);
    expect(secret!.addresses).toEqual([stored.url, client.tokenUrl]);
    const pair = Buffer.from('a%3Ab:p%26s').toString('base64');
    expect([secret!.value, ...secret!.forms]).toEqual(['p&s', 'p%26s', `Basic ${pair}`, pair]);
    const kept = { auth: { kind: 'OAUTH2', tokenUrl: client.tokenUrl, clientId: 'a', kept: true } };
    expect(secretsOf(kept)).toEqual([]);
    expect(withSecrets(kept, () => null)).toEqual(kept);
  });

  test('are replaced, and what is beside them stays', () => {
    expect(withSecrets(stored, ({ value }) => value)).toEqual(stored);
    // Authorities are no secret, and a certificate without its key is of no use.
    const removed = { headers: { 'X-Env': { value: 'prod' } }, auth: null, tls: { ca: stored.tls.ca, client: null } };
    expect(withSecrets(stored, () => null)).toEqual({ ...stored, ...removed });
    expect(withSecrets({ tls: { ...stored.tls, ca: null } }, () => null)).toEqual({ tls: null });
    const renewal = { tls: { ca: null, client: { subject: 'CN=hooks' } } };
    expect(withSecrets(renewal, () => null)).toEqual(renewal);
    const change = { headers: { set: stored.headers, remove: ['X-Old'] } };
    expect(withSecrets(change, () => 'open')).toEqual({
      headers: { set: { 'X-Key': { open: 'open', length: 5 }, 'X-Env': { value: 'prod' } }, remove: ['X-Old'] },
    });
  });

  test('are marked on texts of the options row alone', () => {
    const field = { description: '', input: '', optional: true, secret: true } as const;
    const text = { ...field, kind: 'text', charsMax: 1 } as const;
    const group = { kind: 'group', type: '', scope: 'webhooks:options', description: '', input: '' } as const;
    const fields: Fields = { token: { ...text, optionsRow: true } };
    const inGroup: Fields = { group: { ...group, optionsRow: true, fields: { token: text } } };
    // @ts-expect-error: it is in the noun's own row
    const inOwnRow: Fields = { token: text };
    // @ts-expect-error: its group is in the noun's own row
    const inOwnGroup: Fields = { group: { ...group, fields: { token: text } } };
    // @ts-expect-error: a path is not sealed
    const path: Fields = { token: { ...field, kind: 'path', refusedAs: '', optionsRow: true } };
    for (const table of [fields, inGroup, inOwnRow, inOwnGroup]) {
      expect(secretFields(table)).toMatchObject([{ name: 'token' }]);
    }
    expect(secretFields(path)).toEqual([]);
  });
});
