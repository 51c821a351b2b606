import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runRoute } from '../../src/cli/run-route.js';
import { eventually } from '../support/eventually.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The command that tells the proxy where a tenant is. */

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('gets the lines, and says how it has failed', async () => {
  const file = join(temporaryFolder(), 'lines');
  expect(await runRoute(`cat > ${file}`, ['t1 hold', 'k2 hold'])).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe('t1 hold\nk2 hold\n');
  expect(await runRoute('exit 3', ['t1 1'])).toBe('has failed (3)');
  expect(await runRoute('kill -9 $$', ['t1 1'])).toBe('has failed (SIGKILL)');
});

test('is ended with all that it has started when it hangs', async () => {
  const file = join(temporaryFolder(), 'pid');
  const command = `sleep 600 & echo $! > ${file}; wait`;
  expect(await runRoute(command, ['t1 1'], 2_000)).toBe('has not ended within 2 s, and was killed');
  const pid = Number(readFileSync(file, 'utf8'));
  await eventually(async () => !isRunning(pid), 5_000);
});
