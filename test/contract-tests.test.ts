import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
  .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
const pathsOf = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** Models of receivers, standbys, daemons and load, which take their time; and `eventually` itself. */
const mayPause = [
  /^faults\//,
  /^support\/(eventually|flawed-receiver)\.ts$/,
  /^cli\/test-receiver\./,
  /^delivery\/(oauth2-changes|oauth2-daemons|rates-at-the-gate|real-receivers|reused-connections|token-servers)\./,
  /^operations\/endpoint-rates\./,
  /^timing\/tenant-limits\./,
  /^live\/resume\./, // transactions that end in another order than they began
  /^operating\/closing\./, // each moment of a connection that is being made
  /^browser\/many-tabs\./, // nothing happens meanwhile
];

describe('tests', () => {
  test('wait for a condition, and not for a time (eventually)', () => {
    const paths = pathsOf(/await (delay\(|new Promise(<\w+>)?\(\(\w+\) => setTimeout)/);
    expect(paths.filter((path) => !mayPause.some((allowed) => allowed.test(path)))).toEqual([]);
  });

  test('hold what takes less than three seconds to a limit in test/timing alone, unless their clock is fake', () => {
    const isShort = /performance\.now\(\) - \w+\)\.toBeLess\w+\(([12]?_?\d{1,3}|[12]\d{3})\)/;
    const fake = pathsOf(/vi\.useFakeTimers/);
    expect(pathsOf(isShort).filter((path) => !path.startsWith('timing/') && !fake.includes(path))).toEqual([]);
  });

  test('take no port that was free a moment ago (ownPort)', () => {
    expect(pathsOf(/\bfreePort\(\)/)).toEqual([]);
  });
});
