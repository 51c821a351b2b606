import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** What two containers have of their own that share a folder. */
const container = ['--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];
const canMakeContainers = process.getuid?.() === 0 && spawnSync('unshare', [...container, 'true']).status === 0;

const containers: ChildProcess[] = [];
afterEach(() => endContainers());

async function endContainers(): Promise<void> {
  await Promise.all(
    containers.splice(0).map((child) => {
      const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit');
      child.kill('SIGKILL');
      return ended;
    }),
  );
}

/** A Hookwright in a container of its own, that serves from the folder and then does as `after` says. */
async function hookwrightInContainer(dataDir: string, after: string): Promise<ChildProcess> {
  const source = `
    import { claimDataDir, startEmbeddedPostgres } from './src/embedded-postgres/embedded-postgres.ts';
    const dataDir = ${JSON.stringify(dataDir)};
    claimDataDir(dataDir);
    await startEmbeddedPostgres({ dataDir, ephemeral: true });
    process.stdout.write('serves', () => { ${after} });`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', source];
  const child = spawn('unshare', [...container, 'sh', '-c', '"$@"; sleep 600', 'sh', ...node], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  containers.push(child);
  await once(child.stdout!, 'data');
  return child;
}

const goesOn = 'setInterval(() => {}, 60_000)';

async function kept(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select value from kept').finally(() => client.end());
  return rows[0]?.value;
}

describe.runIf(canMakeContainers)('a data folder whose claim nobody renews', { timeout: 60_000 }, () => {
  let dataDir: string;
  const start = () => startEmbeddedPostgres({ dataDir, ephemeral: true });
  const claim = () => readFileSync(join(dataDir, 'namespace'), 'utf8');

  beforeAll(async () => {
    dataDir = temporaryFolder();
    const postgres = await start();
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('create table kept as select 42 as value');
    await client.end();
    await postgres.stop();
  });

  /** And the claim stays with those whose Postgres it is. */
  async function isRefused(): Promise<void> {
    const before = claim();
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(dataDir, 'namespace'), anHourAgo, anHourAgo);
    await expect(start()).rejects.toThrow(
      `A Postgres that cannot be seen from here serves from the folder ${dataDir}; it was started on the host or in the container ${hostname()}. Two on one folder destroy it.`,
    );
    expect(claim()).toBe(before);
  }

  async function isFreeAfterwards(): Promise<void> {
    await endContainers();
    const postgres = await start();
    expect(await kept(postgres.url)).toBe(42);
    await postgres.stop();
  }

  test('is refused while the Postgres lives of a Hookwright in another container that stands still', async () => {
    const { pid } = await hookwrightInContainer(dataDir, goesOn);
    const child = (of: number) => Number(readFileSync(`/proc/${of}/task/${of}/children`, 'latin1').split(' ')[0]);
    process.kill(child(child(pid!)), 'SIGSTOP');
    await isRefused();
    await isFreeAfterwards();
  });

  test('is refused while the Postgres lives of a Hookwright in another container that was killed', async () => {
    await hookwrightInContainer(dataDir, "process.kill(process.pid, 'SIGKILL')");
    await isRefused();
    await isFreeAfterwards();
  });
});

test.runIf(process.platform === 'linux')(
  'where the file system keeps no locks a Postgres starts all the same, with a warning',
  async () => {
    const dataDir = temporaryFolder();
    const programs = temporaryFolder();
    writeFileSync(join(programs, 'flock'), '#!/bin/sh\necho "flock: 3: No locks available" >&2\nexit 71\n', {
      mode: 0o755,
    });
    const warned: string[] = [];
    const { PATH } = process.env;
    process.env['PATH'] = `${programs}:${PATH}`;
    try {
      const warn = (line: string) => warned.push(line);
      const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true, warn });
      await postgres.stop();
    } finally {
      process.env['PATH'] = PATH;
    }
    expect(warned).toEqual([
      `${join(dataDir, 'pg-server')} cannot be locked, so a Postgres that outlives its Hookwright would not be seen from another container: flock: 3: No locks available`,
    ]);
  },
);
