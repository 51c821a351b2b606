import { expect, test } from 'vitest';
import { versionFor } from '../../src/api/rest/if-match.js';
import { cpuTimeOf } from '../support/machine-speed.js';

test('a long list of tags is read in one pass', async () => {
  const { tookMs } = await cpuTimeOf(() => {
    expect(versionFor(`"1"${', '.repeat(100_000)}`, 1)).toBe(1);
    expect(() => versionFor(`"1"${' '.repeat(100_000)}x`, 1)).toThrow('entity tags');
  });
  expect(tookMs).toBeLessThan(1_000);
});
