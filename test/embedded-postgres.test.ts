import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { canEnter, serverAccount } from '../src/embedded-postgres/account.js';
import { installedBinaries, usableBinaries } from '../src/embedded-postgres/binaries.js';
import { findProcess, findWithPs } from '../src/embedded-postgres/running-process.js';
import {
  claimDataDir,
  type EmbeddedPostgres,
  removeDataDir,
  startEmbeddedPostgres,
} from '../src/embedded-postgres.js';
import { eventually } from './support/eventually.js';

const isRoot = process.getuid?.() === 0;
const children: ChildProcess[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

afterAll(() => {
  for (const folder of folders) {
    removeDataDir(folder);
  }
});

/** 0755: run by root, the server is another user's, who must be able to enter. */
function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookwright-embedded-'));
  folders.push(folder);
  chmodSync(folder, mode);
  return folder;
}

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Another Hookwright: claims the folder, starts its Postgres, then does as `after` says. */
async function otherProcess(
  dataDir: string,
  after: string,
): Promise<{ child: ChildProcess; serverPid: number }> {
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', '--input-type=module', '--eval'],
      `import { claimDataDir, startEmbeddedPostgres } from './src/embedded-postgres.ts';
       const dataDir = ${JSON.stringify(dataDir)};
       claimDataDir(dataDir);
       const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true });
       process.stdout.write(postgres.pid + '\\n', () => { ${after} });`,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  children.push(child);
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, serverPid: Number(line) };
}

describe('the embedded Postgres', () => {
  let dataDir: string;
  const start = () => startEmbeddedPostgres({ dataDir, ephemeral: true });

  beforeAll(async () => {
    dataDir = temporaryFolder();
    const postgres = await start();
    await ask(postgres.url, 'create table kept as select 42 as value');
    await postgres.stop();
  });

  test('makes its cluster at the first start, with a password that only its owner can read', () => {
    expect(existsSync(join(dataDir, 'pg', 'PG_VERSION'))).toBe(true);
    expect(statSync(join(dataDir, 'pg')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'pg-password')).mode & 0o777).toBe(0o600);
  });

  test('keeps its data over a restart, is durable, listens on loopback only and serves an ordinary role', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir });
    try {
      expect(postgres.attached).toBe(false);
      expect(await ask(postgres.url, 'select value from kept')).toBe(42);
      expect(await ask(postgres.url, 'show fsync')).toBe('on');
      expect(await ask(postgres.url, 'show synchronous_commit')).toBe('on');
      expect(await ask(postgres.url, 'show full_page_writes')).toBe('on');
      expect(await ask(postgres.url, 'show listen_addresses')).toBe('127.0.0.1');
      expect(await ask(postgres.url, 'show server_encoding')).toBe('UTF8');
      expect(await ask(postgres.url, 'select rolsuper from pg_roles where rolname = current_user')).toBe(
        false,
      );
      await expect(ask(postgres.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
    } finally {
      await postgres.stop();
    }
  });

  test('has ended when stop returns, and stopping again does nothing', async () => {
    const postgres = await start();
    expect(findProcess(postgres.pid)?.name).toBe('postgres');
    await postgres.stop();
    expect(findProcess(postgres.pid)).toBeNull();
    await postgres.stop();
  });

  test('is used by a second start in the same process, and by one at the same moment', async () => {
    const [one, two] = (await Promise.all([start(), start()])) as [EmbeddedPostgres, EmbeddedPostgres];
    expect(two.pid).toBe(one.pid);
    expect([one.attached, two.attached].sort()).toEqual([false, true]);
    await one.stop();
    await two.stop();
  });

  test('is left running by a command beside the service, refused to a second service, and inherited from a killed one', async () => {
    const { child, serverPid } = await otherProcess(dataDir, 'setInterval(() => {}, 60_000)');
    expect(() => claimDataDir(dataDir)).toThrow(
      `Another Hookwright (process ${child.pid}) is using the folder ${dataDir}. ` +
        'Stop that one first, or give this one a folder of its own: DATA_DIR=<folder>.',
    );
    const beside = await start();
    expect(beside).toMatchObject({ attached: true, pid: serverPid });
    await beside.stop();
    expect(await ask(beside.url, 'select value from kept')).toBe(42);

    child.kill('SIGKILL');
    await once(child, 'exit');
    const claim = claimDataDir(dataDir);
    const heir = await start();
    expect(heir).toMatchObject({ attached: true, pid: serverPid });
    expect(await ask(heir.url, 'select value from kept')).toBe(42);
    await heir.stop();
    claim.release();
    expect(findProcess(serverPid)).toBeNull();
  });

  test('ends when its process exits on an error', async () => {
    const { serverPid } = await otherProcess(
      dataDir,
      "process.nextTick(() => { throw new Error('on purpose'); })",
    );
    await eventually(() => findProcess(serverPid) === null);
  });

  test('says so when the chosen port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startEmbeddedPostgres({ dataDir, ephemeral: true, port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken, so Postgres cannot listen there.`,
    );
    taken.close();
  });

  test('says so when its password file is lost', async () => {
    const copy = temporaryFolder();
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('pg-password') });
    await expect(startEmbeddedPostgres({ dataDir: copy, ephemeral: true })).rejects.toThrow(
      `cannot be read from ${join(copy, 'pg-password')}`,
    );
    expect(existsSync(join(copy, 'pg', 'postmaster.pid'))).toBe(false);
  });

  test('works on a copy of its stopped folder, and leaves nothing running when the password is another', async () => {
    const copy = temporaryFolder();
    cpSync(dataDir, copy, { recursive: true });
    const postgres = await startEmbeddedPostgres({ dataDir: copy, ephemeral: true });
    expect(await ask(postgres.url, 'select value from kept')).toBe(42);
    await postgres.stop();
    writeFileSync(join(copy, 'pg-password'), 'another');
    await expect(startEmbeddedPostgres({ dataDir: copy, ephemeral: true })).rejects.toThrow(
      `The password in ${join(copy, 'pg-password')} is not that of the database`,
    );
    expect(existsSync(join(copy, 'pg', 'postmaster.pid'))).toBe(false);
  });

  test.runIf(isRoot)(
    'works for root in a folder that nobody else may enter, and keeps its data there',
    async () => {
      const closed = temporaryFolder(0o700);
      const lines: string[] = [];
      const startClosed = () =>
        startEmbeddedPostgres({ dataDir: closed, ephemeral: true, log: (l) => lines.push(l) });
      const first = await startClosed();
      await ask(first.url, 'create table kept as select 42 as value');
      await first.stop();
      const second = await startClosed();
      expect(await ask(second.url, 'select value from kept')).toBe(42);
      await second.stop();
      expect(lines.at(-1)).toMatch(/data in \/var\/lib\/hookwright\//);
    },
  );
});

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
    expect(() => usableBinaries(null, { folder: empty, version: 'empty' })).toThrow(
      /does not run on this machine/,
    );
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

  test('says what is wrong with a folder that cannot be made', () => {
    expect(() => claimDataDir('/dev/null/data')).toThrow(
      'The folder /dev/null/data cannot be used: a part of its path is a file, not a folder.',
    );
  });
});

test('a process is found by ps as well, for systems without /proc', () => {
  const found = findWithPs(process.pid);
  expect(found?.startedAt).toMatch(/^\w{3}-\w{3}-\d+-\d\d:\d\d:\d\d-\d{4}$/);
  expect(findWithPs(process.pid)).toEqual(found);
  expect(findWithPs(2 ** 22)).toBeNull();
});
