import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heard, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** As a terminal does: to the process and to all that it has started beside itself. */
async function pressCtrlC(atLine: string, set: Record<string, string>) {
  const service = startProgram(['start'], set, { detached: true });
  const said = heard(service);
  try {
    await eventually(() => said.output.includes(atLine), 60_000);
    process.kill(-service.pid!, 'SIGINT');
    const [code] = (await once(service, 'close')) as [number | null];
    return { code, ...said };
  } finally {
    service.kill('SIGKILL');
  }
}

describe('Ctrl-C during the first start', { timeout: 120_000 }, () => {
  test.each(['Making a database', 'Postgres started', 'the API is listening'])(
    'after "%s" ends it with 0, and nothing is said to be wrong; the next start is a good one',
    async (line) => {
      const set = { DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0' };
      const { code, output, errors } = await pressCtrlC(line, set);
      expect(errors.replace(/^Hookwright is ready at [\s\S]*/, '')).toBe('');
      expect(output).not.toMatch(/"level":[456]0/);
      expect(output).toContain('(up to 20 s; Ctrl-C again ends at once)');
      expect(code).toBe(0);
      const next = await pressCtrlC('the delivery daemon is running', set);
      expect(next.code).toBe(0);
    },
  );

  test('what is told once it runs: where it listens, once, and where the key lies, not that it is shown once', async () => {
    const set = { DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0' };
    const { output, errors } = await pressCtrlC('the delivery daemon is running', set);
    expect(output.match(/listening/g)).toHaveLength(1);
    expect(output).toMatch(/the API is listening at http:\/\/127\.0\.0\.1:\d+/);
    await eventually(() => errors.includes(`API key in ${join(set.DATA_DIR, 'api-key')}`));
  });
});
