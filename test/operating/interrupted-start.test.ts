import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { listen, ownPort } from '../support/loopback.js';
import { heard, runProgram, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** As a terminal does: to the process and to all that it has started beside itself. */
async function pressCtrlC(atLine: string, set: Record<string, string>, signal: NodeJS.Signals = 'SIGINT') {
  const service = startProgram(['start'], set, { detached: true });
  const said = heard(service);
  try {
    await eventually(() => said.output.includes(atLine), 60_000);
    process.kill(-service.pid!, signal);
    const [code] = (await once(service, 'close')) as [number | null];
    return { code, ...said };
  } finally {
    service.kill('SIGKILL');
  }
}

test('starts that Ctrl-C breaks off end with 0 and no complaint; the next one is good, until its terminal is closed', {
  timeout: 240_000,
}, async () => {
  const set = { DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0' };
  for (const line of ['Making a database', 'Postgres started', 'the API is listening']) {
    const { code, output, errors } = await pressCtrlC(line, set);
    expect(errors.replace(/^Hookwright is ready at [\s\S]*/, '')).toBe('');
    expect(output).not.toMatch(/"level":[456]0/);
    expect(output).toContain('(up to 20 s; Ctrl-C again ends at once)');
    expect(output).toContain('"msg":"ended"');
    expect([line, code]).toEqual([line, 0]);
  }
  const { code, output, errors } = await pressCtrlC('the delivery daemon is running', set, 'SIGHUP');
  expect(code).toBe(0);
  expect(output).toContain('"msg":"ended"');
  expect(existsSync(join(set.DATA_DIR, 'pg', 'postmaster.pid'))).toBe(false);
  // It says where it listens, once, and where the key is.
  expect(output.match(/listening/g)).toHaveLength(1);
  expect(output).toMatch(/the API is listening at http:\/\/127\.0\.0\.1:\d+/);
  expect(errors).toContain(`API key in ${join(set.DATA_DIR, 'api-key')}`);
});

test('a service whose output nobody reads works, and ends when it is asked to', { timeout: 120_000 }, async () => {
  const port = await ownPort();
  const service = startProgram(['start'], { DATA_DIR: join(temporaryFolder(), 'data'), PORT: String(port) });
  try {
    service.stdout!.destroy();
    service.stderr!.destroy();
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null))?.ok;
    await eventually(isReady, 60_000);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  } finally {
    service.kill('SIGKILL');
  }
});

const mayMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test.skipIf(!mayMount).each([
  ['makes the cluster', '12m'],
  ['has started', '40m'],
  ['is migrated', '300m'],
])('a disk that is full while Postgres %s ends the start with this reason', { timeout: 120_000 }, async (_, size) => {
  const folder = temporaryFolder();
  const line = `mount -t tmpfs -o size=${size} tmpfs ${folder} && exec ./hookwright start`;
  const set = { DATA_DIR: join(folder, 'data'), PORT: '0' };
  const service = startProgram(['--mount', 'sh', '-c', line], set, { program: 'unshare' });
  const said = heard(service);
  expect(await once(service, 'close')).toEqual([1, null]);
  // Postgres says the second when a part of the last block still found room.
  expect(said.errors).toMatch(/^hookwright: [\s\S]*(No space left on device|Check free disk space)/);
});

/** A service that was left behind is in the group of its npm still. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

test('SIGTERM to npm ends the service that an npm script has started', { timeout: 120_000 }, async () => {
  const set = { DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0' };
  // Without `prestart`, which would build what other tests run.
  const npm = startProgram(['start', '--ignore-scripts'], set, { program: 'npm', detached: true });
  const said = heard(npm);
  try {
    await eventually(() => said.output.includes('the delivery daemon is running'), 60_000);
    npm.kill('SIGTERM');
    await eventually(() => said.output.includes('"msg":"ended"'), 30_000);
  } finally {
    killGroup(npm.pid!);
  }
});

test.each(['PORT', 'METRICS_PORT'])(
  'a %s that is taken ends the first start before a database is made',
  { timeout: 60_000 },
  async (setting) => {
    const other = createServer();
    const port = await listen(other);
    const set = { DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0', [setting]: String(port) };
    const { code, output, errors } = await runProgram(['start'], set);
    other.close();
    expect(code).toBe(1);
    expect(errors).toBe(
      `hookwright: Port ${port} on 127.0.0.1 is taken. Free it, or choose another: ${setting}=${port + 1}.\n`,
    );
    expect(output).not.toContain('Making a database');
    expect(existsSync(set.DATA_DIR)).toBe(false);
  },
);
