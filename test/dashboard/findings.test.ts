import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every check of the doctor that daemons make has words in the languages of the dashboard', () => {
  const files = globSync('src/operations/doctor/judge-*.ts');
  const names = files.flatMap((file) =>
    [...read(file).matchAll(/(?:check|failIf|warnIf)\((?:[^'`()]*?,\s*)?'([a-z_ ]+)'|const name = '([^']+)'/gs)].map(
      ([, given, named]) => given ?? named!,
    ),
  );
  expect(names.length).toBeGreaterThan(20);
  const words = read('dashboard/text/findings.ts');
  const known = new Set([...words.matchAll(/^ {2}'?([a-z_ ]+)'?: \{/gm)].map(([, name]) => name!));
  const levels = ['ok', 'warn', 'fail'];
  expect([...new Set(names)].filter((name) => !known.has(name) && !levels.includes(name))).toEqual([]);
});
