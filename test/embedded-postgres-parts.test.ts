import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { canEnter, serverAccount } from '../src/embedded-postgres/account.js';
import { installedBinaries, usableBinaries } from '../src/embedded-postgres/binaries.js';
import { claimDataDir } from '../src/embedded-postgres/embedded-postgres.js';
import { findProcess, findWithPs } from '../src/embedded-postgres/running-process.js';
import { temporaryFolder } from './support/temporary-folder.js';

const isRoot = process.getuid?.() === 0;

describe('the binaries', () => {
  const root = temporaryFolder();
  const installed = { folder: join(root, 'native'), version: 'copy' };

  beforeAll(() => {
    const isCopied = (path: string) => !path.endsWith('.a') && !lstatSync(path).isSymbolicLink();
    cpSync(installedBinaries().folder, installed.folder, { recursive: true, filter: isCopied });
  });

  test('get the library links that an installation without scripts leaves out', () => {
    expect(usableBinaries(null, installed)).toEqual({ folder: installed.folder, copied: false });
  });

  test.runIf(isRoot)('are copied when they lie where the user of Postgres may not go', () => {
    chmodSync(root, 0o700);
    const shared = temporaryFolder();
    const account = serverAccount(join(shared, 'pg'));
    expect(canEnter(account, installed.folder)).toBe(false);
    const copy = { folder: join(shared, 'postgres-copy'), copied: true };
    expect(usableBinaries(account, installed, shared)).toEqual(copy);
    expect(usableBinaries(account, installed, shared)).toEqual(copy);
  });

  test('that do not run are refused in a sentence', () => {
    const empty = temporaryFolder();
    expect(() => usableBinaries(null, { folder: empty, version: 'empty' })).toThrow(/does not run on this machine/);
  });
});

describe('a claim on a data folder', () => {
  test('is refused to a second one, and free again after its release', () => {
    const dataDir = temporaryFolder();
    const claim = claimDataDir(dataDir);
    expect(() => claimDataDir(dataDir)).toThrow(`(process ${process.pid}) is using the folder ${dataDir}`);
    claim.release();
    claimDataDir(dataDir).release();
  });

  test('of a process whose pid now belongs to another one is taken over', () => {
    const dataDir = temporaryFolder();
    symlinkSync(`${process.ppid}-some-other-time`, join(dataDir, 'lock'));
    const claim = claimDataDir(dataDir);
    expect(() => claimDataDir(dataDir)).toThrow(`(process ${process.pid})`);
    claim.release();
  });

  test('is not released by one who has lost it', () => {
    const dataDir = temporaryFolder();
    const lost = claimDataDir(dataDir);
    rmSync(join(dataDir, 'lock'));
    symlinkSync(`${process.ppid}-${findProcess(process.ppid)?.startedAt}`, join(dataDir, 'lock'));
    lost.release();
    expect(() => claimDataDir(dataDir)).toThrow(`(process ${process.ppid})`);
  });

  test('that a process of another user has left behind is told to be out of reach, not tried for ever', () => {
    const dataDir = temporaryFolder();
    symlinkSync(`${process.ppid}-some-other-time`, join(dataDir, 'lock'));
    const { stderr, signal } = spawnSync(
      process.execPath,
      [
        ...['--import', 'tsx', '--input-type=module', '--eval'],
        `import { chmodSync } from 'node:fs';
         import { claimDataDir } from './src/embedded-postgres/embedded-postgres.ts';
         const dataDir = ${JSON.stringify(dataDir)};
         chmodSync(dataDir, 0o555);
         if (process.getuid() === 0) {
           process.setuid(65534);
         }
         claimDataDir(dataDir);`,
      ],
      { encoding: 'utf8', timeout: 20_000 },
    );
    chmodSync(dataDir, 0o755);
    expect(signal).toBeNull();
    expect(stderr).toContain(`The folder ${dataDir} cannot be used: this user may not write there.`);
  });

  test('says what is wrong with a folder that cannot be made', () => {
    expect(() => claimDataDir('/dev/null/data')).toThrow(
      'The folder /dev/null/data cannot be used: a part of its path is a file, not a folder.',
    );
  });

  test('makes the folders above its folder', () => {
    const dataDir = join(temporaryFolder(), 'of', 'mine');
    claimDataDir(dataDir).release();
    expect(statSync(dataDir).isDirectory()).toBe(true);
  });

  test('says that a link on the way to its folder leads nowhere, and does not try for ever', () => {
    const link = join(temporaryFolder(), 'unmounted');
    symlinkSync('/not/mounted', link);
    const reason = 'there is a file of that name, or a link that leads nowhere';
    expect(claiming(link)).toContain(`The folder ${link} cannot be used: ${reason}.`);
    expect(claiming(join(link, 'data'))).toContain(`The folder ${join(link, 'data')} cannot be used: ${reason}.`);
  });

  test.runIf(existsSync('/proc/self'))(
    'says that none can be made where the system keeps no folders, and does not try for ever',
    () => {
      expect(claiming('/proc/data')).toContain(
        'The folder /proc/data cannot be used: there is no such folder, and none can be made.',
      );
    },
  );
});

/** What another process says that claims the folder, which must not take long. */
function claiming(dataDir: string): string {
  const { stderr, signal } = spawnSync(
    process.execPath,
    [
      ...['--import', 'tsx', '--input-type=module', '--eval'],
      `import { claimDataDir } from './src/embedded-postgres/embedded-postgres.ts';
       claimDataDir(${JSON.stringify(dataDir)});`,
    ],
    { encoding: 'utf8', timeout: 20_000 },
  );
  expect(signal).toBeNull();
  return stderr;
}

test('a process is found by ps as well, for systems without /proc', () => {
  const found = findWithPs(process.pid);
  expect(found?.startedAt).toMatch(/^\w{3}-\w{3}-\d+-\d\d:\d\d:\d\d-\d{4}$/);
  expect(findWithPs(process.pid)).toEqual(found);
  expect(findWithPs(2 ** 22)).toBeNull();
});
