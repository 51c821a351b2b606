import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { canEnter, serverAccount } from '../src/platform/embedded-postgres/account.js';
import { installedBinaries, usableBinaries } from '../src/platform/embedded-postgres/binaries.js';
import { lockDataFolder } from '../src/platform/embedded-postgres/embedded-postgres.js';
import { temporaryFolder } from './support/temporary-folder.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** Root may do what modes forbid. */
const AS_NOBODY = `if (process.getuid() === 0) { process.setuid(${NOBODY}); }`;

describe('the binaries', () => {
  const root = temporaryFolder();
  const installed = { folder: join(root, 'native'), version: 'copy' };
  const lib = join(installed.folder, 'lib');
  const haveLinks = () => readdirSync(lib, { withFileTypes: true }).some((file) => file.isSymbolicLink());

  beforeAll(() => {
    const isCopied = (path: string) => !path.endsWith('.a') && !lstatSync(path).isSymbolicLink();
    cpSync(installedBinaries().folder, installed.folder, { recursive: true, filter: isCopied });
  });

  test('are copied into the data folder where they lack library links and nobody may write beside them', () => {
    const dataDir = temporaryFolder();
    chmodSync(lib, 0o555);
    if (isRoot) {
      chownSync(dataDir, NOBODY, NOBODY);
    }
    const copy = join(dataDir, 'postgres-copy');
    const { stdout } = run(`
      ${AS_NOBODY}
      const { usableBinaries } = await import('./dist/src/platform/embedded-postgres/binaries.js');
      const find = () => usableBinaries(null, ...${JSON.stringify([dataDir, installed])});
      console.log(find(), find());`);
    expect(stdout).toBe(`${copy} ${copy}\n`);
    chmodSync(lib, 0o755);
    expect(haveLinks()).toBe(false);
  });

  test('get the library links that an installation without scripts leaves out', () => {
    expect(usableBinaries(null, '/nowhere', installed)).toBe(installed.folder);
    expect(haveLinks()).toBe(true);
  });

  test.runIf(isRoot)('are copied when they lie where the user of Postgres may not go', () => {
    chmodSync(root, 0o700);
    const shared = temporaryFolder();
    const account = serverAccount(join(shared, 'pg'));
    expect(canEnter(account, installed.folder)).toBe(false);
    const copy = join(shared, 'postgres-copy');
    expect(usableBinaries(account, shared, installed)).toBe(copy);
    expect(usableBinaries(account, shared, installed)).toBe(copy);
  });

  test('that do not run are refused in a sentence', () => {
    const empty = temporaryFolder();
    expect(() => usableBinaries(null, empty, { folder: empty, version: 'empty' })).toThrow(
      /does not run on this machine/,
    );
  });
});

describe('the lock of a data folder', () => {
  test('is refused to a second service, and free again after its release, which counts once', () => {
    const dataDir = join(temporaryFolder(), 'above', 'data');
    const lock = lockDataFolder(dataDir);
    expect(() => lockDataFolder(dataDir)).toThrow(
      `Another Hookwright (process ${process.pid} on ${hostname()}) is using the folder ${dataDir}. ` +
        'Stop that one first, or give this one a folder of its own: DATA_DIR=<folder>.',
    );
    lock.release();
    const next = lockDataFolder(dataDir);
    lock.release();
    expect(() => lockDataFolder(dataDir)).toThrow('is using the folder');
    next.release();
  });

  test('of a process that was killed locks nothing', () => {
    const dataDir = temporaryFolder();
    expect(locking(dataDir, "process.kill(process.pid, 'SIGKILL')").signal).toBe('SIGKILL');
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(true);
    lockDataFolder(dataDir).release();
  });

  test.runIf(isRoot)(
    'of a folder that belongs to another user is refused with the command that gives it to ours',
    () => {
      const dataDir = temporaryFolder();
      lockDataFolder(dataDir).release();
      const asNobody = () => locking(dataDir, '', 'process.setgid(65534); process.setuid(65534);').stderr;
      const remedy = `As root run "chown -R 65534:65534 ${dataDir}", or start Hookwright as user 0.`;
      for (const mode of [0o755, 0o700]) {
        chmodSync(dataDir, mode);
        expect(asNobody()).toContain(
          `The folder ${dataDir} cannot be used: ${dataDir} belongs to user 0, and Hookwright runs as user 65534. ${remedy}`,
        );
      }
      chownSync(dataDir, 65534, 65534);
      chmodSync(join(dataDir, 'service.lock'), 0o600);
      expect(asNobody()).toContain(`${join(dataDir, 'service.lock')} belongs to user 0`);
      spawnSync('chown', ['-R', '65534:65534', dataDir]);
      expect(asNobody()).toBe('');
      expect(locking('/', '', 'process.setgid(65534); process.setuid(65534);').stderr).toContain(
        '/ belongs to user 0, and Hookwright runs as user 65534. Name a folder of its own in DA',
      );
    },
  );

  test('says what is wrong with a folder that cannot be made', () => {
    const link = join(temporaryFolder(), 'unmounted');
    symlinkSync('/not/mounted', link);
    for (const [folder, reason] of [
      ['/dev/null/data', 'ENOTDIR: not a directory'],
      [link, 'ENOENT: no such file or directory'],
      [join(link, 'data'), 'ENOENT: no such file or directory'],
    ] as const) {
      expect(() => lockDataFolder(folder)).toThrow(`The folder ${folder} cannot be used: ${reason}`);
    }
  });

  test.runIf(process.platform === 'linux')('says what is missing where the file system keeps no locks', () => {
    const programs = temporaryFolder();
    writeFileSync(join(programs, 'flock'), '#!/bin/sh\necho "flock: 3: No locks available" >&2\nexit 71\n', {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
    const dataDir = temporaryFolder();
    expect(() => lockDataFolder(dataDir)).toThrow(
      `${join(dataDir, 'service.lock')} cannot be locked (flock: 3: No locks available). The built-in Postgres needs ` +
        'the program flock, of util-linux, and a file system that keeps locks; or set DATABASE_URL.',
    );
    vi.unstubAllEnvs();
  });
});

/** Another process that locks the folder, and then does as `after` says. */
function locking(dataDir: string, after: string, before = '') {
  return run(`
    const { lockDataFolder } = await import('./dist/src/platform/embedded-postgres/embedded-postgres.js');
    ${before}
    lockDataFolder(${JSON.stringify(dataDir)});
    ${after}`);
}

function run(source: string) {
  const args = ['--input-type=module', '--eval', source];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
}
