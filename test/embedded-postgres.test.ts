import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lockDataFolder, startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.js';
import { isPostgres, isPostgresByPs } from '../src/platform/embedded-postgres/postgres-process.js';
import { eventually } from './support/eventually.js';
import { temporaryFolder } from './support/temporary-folder.js';

const isRoot = process.getuid?.() === 0;
const children: ChildProcess[] = [];

afterEach(() => endChildren());

async function endChildren(): Promise<void> {
  await Promise.all(
    children.splice(0).map((child) => {
      const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit');
      child.kill('SIGKILL');
      return ended;
    }),
  );
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

/** Starts the folder's Postgres in another Hookwright, a service or a command, which then does as `after` says. */
async function other(
  dataDir: string,
  kind: 'service' | 'command',
  { after = 'setInterval(() => {}, 60_000)', before = '', by = [] as string[] } = {},
) {
  const source = `
    import pg from 'pg';
    import { lockDataFolder, startEmbeddedPostgres } from './dist/src/platform/embedded-postgres/embedded-postgres.js';
    const dataDir = ${JSON.stringify(dataDir)};
    ${kind === 'service' ? 'lockDataFolder(dataDir);' : ''}
    ${before}
    const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true });
    process.stdout.write(postgres.pid + '\\n', () => { ${after} });`;
  const node = [process.execPath, '--input-type=module', '--eval', source];
  const [program, ...args] = [...by, ...node] as [string, ...string[]];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  const [said] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown];
  return { child, serverPid: Number(said), exitCode: child.exitCode };
}

describe('the embedded Postgres', () => {
  let dataDir: string;
  const start = (options = {}) => startEmbeddedPostgres({ dataDir, ephemeral: true, ...options });
  const kept = (url: string) => ask(url, 'select value from kept');

  /** Starts the folder's Postgres once more, which has its data, and stops it. */
  async function startsWell(options: { dataDir?: string } = {}): Promise<void> {
    const postgres = await start(options);
    expect(await kept(postgres.url)).toBe(42);
    await postgres.stop();
  }

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
    expect(postgres.attached).toBe(false);
    expect(await kept(postgres.url)).toBe(42);
    for (const [setting, value] of [
      ['fsync', 'on'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['listen_addresses', '127.0.0.1'],
      ['server_encoding', 'UTF8'],
    ]) {
      expect(await ask(postgres.url, `show ${setting}`)).toBe(value);
    }
    expect(await ask(postgres.url, 'select rolsuper from pg_roles where rolname = current_user')).toBe(false);
    await expect(ask(postgres.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
    expect(isPostgresByPs(postgres.pid)).toBe(true);
    expect(isPostgresByPs(process.pid)).toBe(false);
    await postgres.stop();
    expect(isPostgres(postgres.pid)).toBe(false);
    await postgres.stop();
  });

  test('is used by a second start in the same process, at the same moment too, and ended by the last one', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(two.pid).toBe(one.pid);
    expect([one.attached, two.attached].sort()).toEqual([false, true]);
    await one.stop();
    expect(await kept(two.url)).toBe(42);
    await two.stop();
    expect(isPostgres(one.pid)).toBe(false);
  });

  test('is left by a service that ends to commands that work with it, and ended by the last that was not killed', async () => {
    const after = "process.stdin.once('data', () => postgres.stop().then(() => process.exit()))";
    const service = await other(dataDir, 'service', { after });
    const second = await other(dataDir, 'command');
    expect(second.serverPid).toBe(service.serverPid);
    const last = await start();
    service.child.stdin!.write('stop');
    await once(service.child, 'exit');
    second.child.kill('SIGKILL');
    await once(second.child, 'exit');
    expect(await kept(last.url)).toBe(42);
    await last.stop();
    expect(isPostgres(service.serverPid)).toBe(false);
  });

  test('is left running by a command beside the service, refused to a second service, and inherited from a killed one', async () => {
    const { child, serverPid } = await other(dataDir, 'service');
    expect(() => lockDataFolder(dataDir)).toThrow(`Another Hookwright (process ${child.pid} on ${hostname()})`);
    const beside = await start();
    expect(beside).toMatchObject({ attached: true, pid: serverPid });
    await beside.stop();
    expect(await kept(beside.url)).toBe(42);

    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = lockDataFolder(dataDir);
    const heir = await start();
    expect(heir).toMatchObject({ attached: true, pid: serverPid });
    expect(await kept(heir.url)).toBe(42);
    await heir.stop();
    lock.release();
    expect(isPostgres(serverPid)).toBe(false);
  });

  test('is started again on the same port whenever it ends, until it is stopped', async () => {
    const warned: string[] = [];
    const postgres = await start({ warn: (line: string) => warned.push(line) });
    postgres.keepRunning();
    const { pid } = postgres;
    process.kill(pid, 'SIGKILL');
    await eventually(() => postgres.pid !== pid, 30_000);
    expect(await kept(postgres.url)).toBe(42);
    expect(warned).toEqual(['Postgres has ended, though nobody asked it to; starting it again']);
    const again = postgres.pid;
    await postgres.stop();
    expect([isPostgres(again), postgres.pid]).toEqual([false, again]);
  });

  test('starts although the process that the one before it has written down is a Postgres of another folder now', async () => {
    const neighbour = await start({ dataDir: temporaryFolder() });
    const lines = [neighbour.pid, join(dataDir, 'pg'), 1, 5432, '', '127.0.0.1', 0, ''];
    writeFileSync(join(dataDir, 'pg', 'postmaster.pid'), lines.join('\n'));
    await startsWell();
    await neighbour.stop();
  });

  test('ends when its process exits on an error', async () => {
    const after = "process.nextTick(() => { throw new Error('on purpose'); })";
    const { serverPid } = await other(dataDir, 'command', { after });
    await eventually(() => !isPostgres(serverPid));
  });

  test('ends when its process exits while its first start makes the database', async () => {
    const fresh = temporaryFolder();
    const before = `
      const { query } = pg.Client.prototype;
      pg.Client.prototype.query = function (text, ...others) {
        return text.startsWith?.('create database') ? process.exit(7) : query.call(this, text, ...others);
      };`;
    expect((await other(fresh, 'command', { before })).exitCode).toBe(7);
    await eventually(() => !existsSync(join(fresh, 'pg', 'postmaster.pid')));
  });

  test('has files of its log ready from the start: no commit waits for new ones', async () => {
    const fresh = temporaryFolder();
    const postgres = await startEmbeddedPostgres({ dataDir: fresh });
    const logFiles = () => readdirSync(join(fresh, 'pg', 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
    const before = logFiles();
    const current = () => ask(postgres.url, 'select pg_walfile_name(pg_current_wal_insert_lsn())');
    const first = await current();
    await ask(postgres.url, "create table filled as select repeat('x', 100) as text from generate_series(1, 500000)");
    expect(await current()).not.toBe(first);
    expect(logFiles()).toEqual(before);
    await postgres.stop();
  });

  test('says so when the chosen port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(start({ port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken, so Postgres cannot listen there.`,
    );
    taken.close();
  });

  test('works on a copy of its stopped folder; leaves nothing running when its password is lost or another', async () => {
    const copy = temporaryFolder();
    const isRunning = () => existsSync(join(copy, 'pg', 'postmaster.pid'));
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('pg-password') });
    await expect(start({ dataDir: copy })).rejects.toThrow(`cannot be read from ${join(copy, 'pg-password')}`);
    expect(isRunning()).toBe(false);
    cpSync(join(dataDir, 'pg-password'), join(copy, 'pg-password'));
    await startsWell({ dataDir: copy });
    writeFileSync(join(copy, 'pg-password'), 'another');
    await expect(start({ dataDir: copy })).rejects.toThrow(
      `The password in ${join(copy, 'pg-password')} is not that of the database`,
    );
    expect(isRunning()).toBe(false);
  });

  test.runIf(isRoot)('works for root in a folder that nobody else may enter, and keeps its data there', async () => {
    const closed = temporaryFolder(0o700);
    const lines: string[] = [];
    const options = { dataDir: closed, log: (line: string) => lines.push(line) };
    const first = await start(options);
    await ask(first.url, 'create table kept as select 42 as value');
    await first.stop();
    await startsWell(options);
    expect(lines.some((line) => /data in \/var\/lib\/hookwright\//.test(line))).toBe(true);
  });

  /** What two containers have of their own that share a folder. */
  const container = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];
  const canMakeContainers = isRoot && spawnSync('unshare', [...container.slice(1), 'true']).status === 0;

  test.runIf(canMakeContainers)('is refused to another container, though its service was killed', async () => {
    const by = [...container, 'sh', '-c', '"$@"; sleep 600', 'sh'];
    await other(dataDir, 'service', { by, after: "process.kill(process.pid, 'SIGKILL')" });
    await expect(start()).rejects.toThrow(
      new RegExp(
        `A Postgres that cannot be seen from here serves from the folder ${dataDir}; it was started by ` +
          `process \\d+ on ${hostname()}\\. Two on one folder destroy it\\.`,
      ),
    );
    const pidFile = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8');
    expect(Number.parseInt(pidFile, 10)).toBeLessThan(process.pid);
    await endChildren();
    await startsWell();
  });
});
