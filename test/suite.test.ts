import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The rules of CONTRIBUTING.md, "The loop", that keep the suite quick. */
const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.includes('node_modules'),
);

test('how often a property is drawn is said in test/support/properties.ts alone', () => {
  const others = files.filter((file) => file !== 'support/properties.ts');
  expect(others.filter((file) => /\bnumRuns:|from 'fast[-]check'/.test(read(file)))).toEqual([]);
});
