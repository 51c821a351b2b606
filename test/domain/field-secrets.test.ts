import { describe, expect, test } from 'vitest';
import type { Fields } from '../../src/domain/fields/field.js';
import { secretFields, secretsOf, withEachSecret, withSecrets } from '../../src/domain/fields/secrets.js';

const sealed = Buffer.from('bytes').toString('base64');
const stored = {
  url: 'https://example.com/hooks',
  name: 'Booking system',
  headers: { 'X-Key': { sealed, length: 5 }, 'X-Env': { value: 'prod' } },
  auth: { kind: 'BASIC', username: 'hooks', sealed },
};

describe('the secrets among settings', () => {
  test('have a name, a value, and the addresses that they may go to', () => {
    const addresses = [stored.url];
    expect(secretsOf(stored)).toMatchObject([
      { name: 'X-Key', sealedAs: 'headers/x-key', place: 'delivery', value: Buffer.from('bytes'), addresses },
      { name: 'auth', sealedAs: 'auth', place: 'delivery', value: Buffer.from('bytes'), addresses },
    ]);
    expect(secretsOf({ ...stored, headers: null, auth: null })).toEqual([]);
  });

  test('of an open auth are found in each form that requests have', async () => {
    const open = await withEachSecret(stored, async () => 'pass');
    expect(secretsOf(open).map(({ value, forms }) => [value, ...forms])).toEqual([
      ['pass'],
      ['pass', 'Basic aG9va3M6cGFzcw==', 'aG9va3M6cGFzcw=='],
    ]);
  });

  test('are replaced, and what is beside them stays', () => {
    expect(withSecrets(stored, ({ value }) => value)).toEqual(stored);
    const removed = { headers: { 'X-Env': { value: 'prod' } }, auth: null };
    expect(withSecrets(stored, () => null)).toEqual({ ...stored, ...removed });
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
