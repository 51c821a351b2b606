import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { claimForNamespace, startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import type { NamespaceClaim } from '../src/embedded-postgres/namespace-claim.js';
import { findProcess } from '../src/embedded-postgres/running-process.js';
import { eventually } from './support/eventually.js';
import { temporaryFolder } from './support/temporary-folder.js';

const claims: NamespaceClaim[] = [];
afterEach(() => {
  for (const claim of claims.splice(0)) {
    claim.leave();
  }
});

async function claimFor(
  namespace: string,
  dataDir: string,
  { onLost = () => {}, log = () => {} }: { onLost?: () => void; log?: (line: string) => void } = {},
): Promise<NamespaceClaim> {
  const claim = await claimForNamespace(dataDir, { onLost, log, namespace });
  claims.push(claim);
  return claim;
}

const claimedBy = (dataDir: string) => readFileSync(join(dataDir, 'namespace'), 'utf8').split(' ')[0];

describe('a data folder that processes use which cannot be seen', () => {
  test('is refused while they renew their claim, and free at once when they have released it', async () => {
    const dataDir = temporaryFolder();
    const claim = await claimFor('one', dataDir);
    await expect(claimFor('other', dataDir)).rejects.toThrow(
      `Another Hookwright, in another container or on another machine, is using the folder ${dataDir}.`,
    );
    expect(claimedBy(dataDir)).toBe('one');
    claim.release();
    const begun = performance.now();
    await claimFor('other', dataDir);
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(claimedBy(dataDir)).toBe('other');
  }, 15_000);

  test('is taken over when they have been gone for long', async () => {
    const dataDir = temporaryFolder();
    (await claimFor('one', dataDir)).leave();
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(dataDir, 'namespace'), anHourAgo, anHourAgo);
    await claimFor('other', dataDir);
    expect(claimedBy(dataDir)).toBe('other');
  }, 15_000);

  test('is taken over soon when they were killed a moment ago, and nobody renews their claim', async () => {
    const dataDir = temporaryFolder();
    (await claimFor('one', dataDir)).leave();
    const begun = performance.now();
    const lines: string[] = [];
    await claimFor('other', dataDir, { log: (line) => lines.push(line) });
    const waitedMs = performance.now() - begun;
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(waitedMs).toBeLessThan(20_000);
    expect(lines).toEqual([
      'the data folder was not let go where it was used last; waiting until it is sure that it is used no more',
    ]);
    expect(claimedBy(dataDir)).toBe('other');
  }, 30_000);

  test('is entered by one of two that find an old claim at the same moment', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'namespace'), 'gone 1');
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(dataDir, 'namespace'), anHourAgo, anHourAgo);
    const results = await Promise.allSettled(['one', 'other'].map((name) => claimFor(name, dataDir)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }, 30_000);
});

test('who can see each other, or was killed and comes again, waits for no claim', async () => {
  const dataDir = temporaryFolder();
  (await claimFor('one', dataDir)).leave();
  const begun = performance.now();
  await claimFor('one', dataDir);
  await claimFor('one', dataDir);
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test('who stood still for so long that others have taken the folder over is told', async () => {
  const dataDir = temporaryFolder();
  let lost = 0;
  await claimFor('one', dataDir, {
    onLost: () => {
      lost += 1;
    },
  });
  writeFileSync(join(dataDir, 'namespace'), 'other 1');
  await eventually(() => lost === 1);
});

test('so is who stood still while others have taken it over and let it go again', async () => {
  const dataDir = temporaryFolder();
  let lost = 0;
  const claim = await claimFor('one', dataDir, {
    onLost: () => {
      lost += 1;
    },
  });
  rmSync(join(dataDir, 'namespace'));
  // Of the clock alone: the timer goes on.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 20_000);
  await eventually(() => lost === 1);
  vi.restoreAllMocks();
  expect(claim.lost).toBe(true);
  expect(existsSync(join(dataDir, 'namespace'))).toBe(false);
});

test('a claim that is gone for another reason is written anew', async () => {
  const dataDir = temporaryFolder();
  const claim = await claimFor('one', dataDir);
  rmSync(join(dataDir, 'namespace'));
  await eventually(() => existsSync(join(dataDir, 'namespace')));
  expect(claimedBy(dataDir)).toBe('one');
  expect(claim.lost).toBe(false);
});

test('a Postgres whose folder others have taken over ends at once, and is not started again', async () => {
  const dataDir = temporaryFolder();
  const warnings: string[] = [];
  const postgres = await startEmbeddedPostgres({
    dataDir,
    ephemeral: true,
    warn: (line) => warnings.push(line),
  });
  postgres.keepRunning();
  writeFileSync(join(dataDir, 'namespace'), 'other 1');
  await eventually(() => findProcess(postgres.pid) === null);
  await postgres.stop();
  expect(warnings).toEqual([
    'another container has taken the data folder over while this one stood still; ending Postgres at once',
  ]);
  expect(claimedBy(dataDir)).toBe('other');
}, 30_000);

const inNamespace = ['--pid', '--ipc', '--fork', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...inNamespace, 'true']).status === 0;

test.runIf(hasNamespaces)(
  'a start in another container is refused while a Postgres runs here, and touches nothing',
  async () => {
    const dataDir = temporaryFolder();
    const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true });
    try {
      const source = `
        import { startEmbeddedPostgres } from './src/embedded-postgres/embedded-postgres.ts';
        await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, ephemeral: true });
        console.log('started');`;
      const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', source];
      const started = spawn('unshare', [...inNamespace, ...node]);
      let said = '';
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (text) => {
          said += text;
        });
      }
      await once(started, 'close');
      expect(said).toContain('Another Hookwright, in another container or on another machine');
      expect(said).not.toContain('started\n');
      const pidFile = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8');
      expect(pidFile.split('\n')[0]).toBe(String(postgres.pid));
    } finally {
      await postgres.stop();
    }
  },
  60_000,
);
