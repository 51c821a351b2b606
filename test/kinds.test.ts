import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { domainKinds } from '../src/domain/fields/kinds.js';
import { kindComparisonsIn } from './support/kind-comparisons.js';

/** A kind of field is known in the tables of the layers alone (docs/decisions/0072). */

const root = dirname(import.meta.dirname);
const kinds = Object.keys(domainKinds);
const product = '{src,daemon,migrations,dashboard,scripts,bench,packages/*/src}/**/*.{ts,tsx}';

test('no file asks for the kind of a field', () => {
  const files = globSync(product, { cwd: root }).filter((file) => !file.includes('node_modules'));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    kindComparisonsIn(file, readFileSync(join(root, file), 'utf8'), kinds).map((place) => `${file}:${place}`),
  );
  expect(found).toEqual([]);
});

test.each([
  "if (field.kind === 'headers') {}",
  "const is = 'auth' !== field?.kind;",
  "const is = field!['kind'] === 'group';",
  "const is = ({ kind }) => kind === 'shape';",
  "const is = ({ kind: one }) => one === 'shape';",
  "const is = ({ kind = 'url' }) => kind === 'shape';",
  'const is = field.kind === `path`;',
  "const is = (field as Field).kind === ('path' as Kind);",
  "switch (field.kind) { case 'text': break; default: }",
  "const is = ['filter', 'template'].includes(field.kind);",
  "const is = new Set(['filter']).has(field.kind);",
  "const parts = members[field.kind as 'auth'];",
])('a planted comparison is found: %s', (code) => {
  expect(kindComparisonsIn('planted.ts', code, kinds)).toEqual([`1: ${code}`]);
});

test.each([
  "const is = result.kind === 'response';",
  'const entry = kinds[field.kind];',
  "const field = { kind: 'headers' };",
  "const is = type === 'number';",
  "switch (change.kind) { case 'CHANGED': }",
])('this is not a comparison with a kind: %s', (code) => {
  expect(kindComparisonsIn('other.ts', code, kinds)).toEqual([]);
});
