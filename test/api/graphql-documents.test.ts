import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { bytesOf } from '../../src/api/graphql/execution/stores.js';

test('documents take the more room the more tokens and characters they have', () => {
  const bytes = bytesOf(parse('{ viewer { scopes } }'));
  expect(bytesOf(parse(`{ viewer { scopes } }${' '.repeat(60_000)}`))).toBe(bytes + 60_000);
  expect(bytesOf(parse('{ viewer { scopes scopes } }'))).toBeGreaterThan(bytes + 100);
});
