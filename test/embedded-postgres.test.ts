import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  claimDataDir,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/embedded-postgres/embedded-postgres.js';
import { findProcess } from '../src/embedded-postgres/running-process.js';
import { eventually } from './support/eventually.js';
import { temporaryFolder } from './support/temporary-folder.js';

const isRoot = process.getuid?.() === 0;
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

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

function otherHookwright(dataDir: string, program: string): ChildProcess {
  const source = `
    import pg from 'pg';
    import { claimDataDir, startEmbeddedPostgres } from './src/embedded-postgres/embedded-postgres.ts';
    const dataDir = ${JSON.stringify(dataDir)};
    ${program}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  return child;
}

/** Another Hookwright: claims the folder unless it is a command, starts its Postgres, then does as `after` says. */
async function otherProcess(
  dataDir: string,
  after: string,
  { claims = true } = {},
): Promise<{ child: ChildProcess; serverPid: number }> {
  const child = otherHookwright(
    dataDir,
    `${claims ? 'claimDataDir(dataDir);' : ''}
     const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true });
     process.stdout.write(postgres.pid + '\\n', () => { ${after} });`,
  );
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
      expect(await ask(postgres.url, 'select rolsuper from pg_roles where rolname = current_user')).toBe(false);
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
    expect(await ask(two.url, 'select value from kept')).toBe(42);
    await two.stop();
    expect(findProcess(one.pid)).toBeNull();
  });

  test('is ended by the last of several commands, and not for one that was killed', async () => {
    const forEver = 'setInterval(() => {}, 60_000)';
    const first = await otherProcess(dataDir, forEver, { claims: false });
    const second = await otherProcess(dataDir, forEver, { claims: false });
    expect(second.serverPid).toBe(first.serverPid);
    const last = await start();
    first.child.kill('SIGKILL');
    second.child.kill('SIGTERM');
    await Promise.all([once(first.child, 'exit'), once(second.child, 'exit')]);
    expect(await ask(last.url, 'select value from kept')).toBe(42);
    await last.stop();
    expect(findProcess(first.serverPid)).toBeNull();
    expect(readdirSync(join(dataDir, 'pg-users'))).toEqual([]);
  });

  test('is left by a service that ends to a command that works with it', async () => {
    const service = await otherProcess(
      dataDir,
      "process.stdin.once('data', () => postgres.stop().then(() => process.exit()))",
    );
    const command = await start();
    service.child.stdin!.write('stop');
    await once(service.child, 'exit');
    expect(await ask(command.url, 'select value from kept')).toBe(42);
    await command.stop();
    expect(findProcess(service.serverPid)).toBeNull();
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

  test('is started again on the same port whenever it ends, until it is stopped', async () => {
    const warned: string[] = [];
    const warn = (line: string) => warned.push(line);
    const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true, warn });
    postgres.keepRunning();
    const { pid } = postgres;
    process.kill(pid, 'SIGKILL');
    await eventually(() => postgres.pid !== pid, 30_000);
    expect(await ask(postgres.url, 'select value from kept')).toBe(42);
    expect(warned).toEqual(['Postgres has ended, though nobody asked it to; starting it again']);
    const again = postgres.pid;
    await postgres.stop();
    expect([findProcess(again), postgres.pid]).toEqual([null, again]);
  });

  test('starts although the process that the one before it has written down is another program’s now', async () => {
    const { uid, gid } = statSync(join(dataDir, 'pg'));
    const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
    children.push(other);
    const lines = [other.pid, join(dataDir, 'pg'), 1, 5432, '', '127.0.0.1', 0, ''];
    writeFileSync(join(dataDir, 'pg', 'postmaster.pid'), lines.join('\n'));
    const postgres = await start();
    expect(await ask(postgres.url, 'select value from kept')).toBe(42);
    await postgres.stop();
  });

  test('starts although that process is a Postgres of another folder now', async () => {
    const elsewhere = temporaryFolder();
    const other = await startEmbeddedPostgres({ dataDir: elsewhere, ephemeral: true });
    const lines = [other.pid, join(dataDir, 'pg'), 1, 5432, '', '127.0.0.1', 0, ''];
    writeFileSync(join(dataDir, 'pg', 'postmaster.pid'), lines.join('\n'));
    const postgres = await start();
    expect(await ask(postgres.url, 'select value from kept')).toBe(42);
    await postgres.stop();
    await other.stop();
  });

  test('ends when its process exits on an error', async () => {
    const { serverPid } = await otherProcess(dataDir, "process.nextTick(() => { throw new Error('on purpose'); })");
    await eventually(() => findProcess(serverPid) === null);
  });

  test('ends when its process exits while its first start makes the database', async () => {
    const fresh = temporaryFolder();
    const child = otherHookwright(
      fresh,
      `const { query } = pg.Client.prototype;
       pg.Client.prototype.query = function (text, ...others) {
         return text.startsWith?.('create database') ? process.exit(7) : query.call(this, text, ...others);
       };
       await startEmbeddedPostgres({ dataDir, ephemeral: true });`,
    );
    expect(await once(child, 'exit')).toEqual([7, null]);
    await eventually(() => !existsSync(join(fresh, 'pg', 'postmaster.pid')));
  });

  test('has files of its log ready from the start: no commit waits for new ones', async () => {
    const fresh = temporaryFolder();
    const postgres = await startEmbeddedPostgres({ dataDir: fresh });
    try {
      const logFiles = () => readdirSync(join(fresh, 'pg', 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
      const before = logFiles();
      const current = () => ask(postgres.url, 'select pg_walfile_name(pg_current_wal_insert_lsn())');
      const first = await current();
      await ask(postgres.url, "create table filled as select repeat('x', 100) as text from generate_series(1, 500000)");
      expect(await current()).not.toBe(first);
      expect(logFiles()).toEqual(before);
    } finally {
      await postgres.stop();
    }
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

  test.runIf(isRoot)('works for root in a folder that nobody else may enter, and keeps its data there', async () => {
    const closed = temporaryFolder(0o700);
    const lines: string[] = [];
    const startClosed = () => startEmbeddedPostgres({ dataDir: closed, ephemeral: true, log: (l) => lines.push(l) });
    const first = await startClosed();
    await ask(first.url, 'create table kept as select 42 as value');
    await first.stop();
    const second = await startClosed();
    expect(await ask(second.url, 'select value from kept')).toBe(42);
    await second.stop();
    expect(lines.at(-1)).toMatch(/data in \/var\/lib\/hookwright\//);
  });
});
