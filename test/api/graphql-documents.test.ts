import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { bytesOf, documentStore } from '../../src/graphql/execution/document-store.js';

const documentOf = (n: number) => parse(`query Number${n} { viewer { scopes } }`);

describe('documents', () => {
  test('are kept as long as there is room for those used since', async () => {
    const store = documentStore(3 * bytesOf(documentOf(10)));
    for (const n of [10, 11, 12]) {
      await store.set(`hash ${n}`, documentOf(n));
    }
    expect(await store.get('hash 10')).toEqual(documentOf(10));
    await store.set('hash 13', documentOf(13));
    expect(await store.get('hash 10')).toBeDefined(); // used last before it
    expect(await store.get('hash 11')).toBeUndefined();
    expect(await store.get('hash 12')).toBeDefined();
  });

  test('take the more room the more tokens and characters they have', () => {
    const bytes = bytesOf(parse('{ viewer { scopes } }'));
    expect(bytesOf(parse(`{ viewer { scopes } }${' '.repeat(60_000)}`))).toBe(bytes + 60_000);
    expect(bytesOf(parse('{ viewer { scopes scopes } }'))).toBeGreaterThan(bytes + 100);
  });
});
