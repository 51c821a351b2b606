import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../../src/operations/installation/migrate.js';
import { giveTo, serverAccount, spawnAs } from '../../../src/platform/embedded-postgres/account.js';
import { lockDataFolder, removeDataDir } from '../../../src/platform/embedded-postgres/embedded-postgres.js';
import { isPostgres } from '../../../src/platform/embedded-postgres/postgres-process.js';
import { eventually } from '../../support/eventually.js';
import { onServer } from '../../support/on-server.js';
import { systemPostgres } from '../../support/system-postgres.js';
import { makeDataDir } from '../../support/temporary-postgres.js';

const PASSWORD = 'patroni-test';
const POLL_MS = 20;
const WHOLE_MS = 90_000;
const ROLES = ['leader', 'replica', 'sync_standby'];
const PATHS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];

/** Every machine of ops/patroni is an address of loopback here, so ports and files stay what they are. */
const NET = `127.${1 + Math.floor(Math.random() * 200)}.${Math.floor(Math.random() * 200)}.`;
const here = (text: string) => text.replaceAll('10.0.0.0/8', '127.0.0.0/8').replaceAll('10.0.0.', NET);

/** @throws Error with the packages that are missing */
function programs(): { bin: string; patroni: string; patronictl: string; etcd: string; haproxy: string } {
  const bin = systemPostgres();
  const pathOf = (name: string) => PATHS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? '';
  const found = { patroni: pathOf('patroni'), etcd: pathOf('etcd'), haproxy: pathOf('haproxy') };
  if (bin === null || Object.values(found).includes('')) {
    throw new Error(
      'This needs "apt-get install postgresql patroni etcd-server haproxy": test/faults/install-tools.sh.',
    );
  }
  return { bin, ...found, patronictl: pathOf('patronictl') };
}

/** A text of ops/patroni with what its README says to change. */
function configured(file: string, changes: readonly (readonly [string, string])[]): string {
  let text = readFileSync(new URL(`../../../ops/patroni/${file}`, import.meta.url), 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) {
      throw new Error(`ops/patroni/${file} has no "${from}"`);
    }
    text = text.replaceAll(from, to);
  }
  return here(text);
}

interface Member {
  name: string;
  role: string;
  state: string;
}

/** A machine of ops/patroni: Patroni and its Postgres. */
export class PatroniNode {
  #patroni: ChildProcess | undefined;
  /** Postgres without Patroni. */
  #alone: ChildProcess | undefined;
  readonly address: string;
  readonly dataDir: string;
  readonly config: string;

  constructor(
    readonly name: string,
    number: number,
    private readonly folder: string,
  ) {
    this.address = `${NET}${number}`;
    this.dataDir = join(folder, name);
    this.config = join(folder, `${name}.yml`);
    const own = `10.0.0.${number}`;
    const text = configured('patroni.yml', [
      ['name: a\n', `name: ${name}\n`],
      ['listen: 0.0.0.0', `listen: ${own}`],
      ['connect_address: 10.0.0.1', `connect_address: ${own}`],
      ['CHANGE-ME', PASSWORD],
      ['/var/lib/postgresql/15/hookwright', this.dataDir],
      ['/var/lib/postgresql/pgpass-patroni', join(folder, `${name}.pgpass`)],
      ['/usr/lib/postgresql/15/bin', programs().bin],
      ['/etc/ssl/certs/ssl-cert-snakeoil.pem', join(folder, 'server.crt')],
      ['/etc/ssl/private/ssl-cert-snakeoil.key', join(folder, 'server.key')],
      ['    ssl: "on"', `    ssl: "on"\n    unix_socket_directories: ${folder}/${name}-sockets`], // one machine, one port
    ]);
    mkdirSync(`${folder}/${name}-sockets`);
    writeFileSync(this.config, text);
  }

  start(): void {
    this.#patroni = startLogged(programs().patroni, [this.config], this.folder, this.name);
  }

  /** Its Postgres as a primary that nobody fences, and that waits for no standby. */
  startAlone(): void {
    const args = ['-D', this.dataDir, '-c', 'synchronous_standby_names='];
    this.#alone = startLogged(join(programs().bin, 'postgres'), args, this.folder, `${this.name}-alone`);
  }

  async stopAlone(): Promise<void> {
    this.#alone!.kill('SIGINT');
    await once(this.#alone!, 'exit');
  }

  get url(): string {
    return `postgres://postgres:${PASSWORD}@${this.address}:5432/postgres`;
  }

  async ask<Row extends object>(sql: string, database = 'postgres'): Promise<Row[]> {
    let rows: Row[] = [];
    await onServer(this.url.replace(/postgres$/, database), async (client) => {
      rows = (await client.query<Row>(sql)).rows;
    });
    return rows;
  }

  /** From now on its standbys get nothing. */
  async stopReplication(): Promise<void> {
    for (const { pid } of await this.ask<{ pid: number }>('select pid from pg_stat_replication')) {
      process.kill(pid, 'SIGSTOP');
    }
  }

  /** Patroni and every process of Postgres, at once. */
  kill(): void {
    const file = join(this.dataDir, 'postmaster.pid');
    const pids = existsSync(file) ? [Number(readFileSync(file, 'utf8').split('\n')[0])] : [];
    const postmaster = pids.filter((pid) => isPostgres(pid)); // the file stays, and the number is given again
    const children = postmaster.flatMap((pid) => childrenOf(pid));
    this.#patroni?.kill('SIGKILL');
    for (const pid of [...postmaster, ...children].filter((each) => each > 1)) {
      killed(pid);
    }
  }
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended before
  }
}

function childrenOf(pid: number): number[] {
  try {
    const lines = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return lines.trim().split(/\s+/).map(Number);
  } catch {
    return []; // none
  }
}

function startLogged(program: string, args: readonly string[], folder: string, name: string): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  return spawn(program, args, { ...spawnAs(serverAccount(folder)), stdio: ['ignore', log, log] });
}

/** Three nodes, three etcd and HAProxy, by the files of ops/patroni. */
export class PatroniCluster implements AsyncDisposable {
  readonly nodes: readonly PatroniNode[];
  readonly #others: ChildProcess[] = [];
  readonly #lock: { release(): void };

  private constructor(readonly folder: string) {
    this.#lock = lockDataFolder(folder);
    this.nodes = ['a', 'b', 'c'].map((name, index) => new PatroniNode(name, index + 1, folder));
  }

  /** @param databases each migrated, and owned by `hookwright` */
  static async open(databases: readonly string[]): Promise<PatroniCluster> {
    programs();
    const cluster = new PatroniCluster(makeDataDir());
    process.on('exit', () => cluster.#kill()); // when the test process itself is ended, no test cleans up
    try {
      cluster.#start();
      await cluster.#fill(databases);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  #start(): void {
    const { etcd, haproxy } = programs();
    const { folder } = this;
    makeCertificate(folder);
    writeFileSync(join(folder, 'haproxy.cfg'), configured('haproxy.cfg', [['bind *:', 'bind 10.0.0.9:']]));
    giveTo(serverAccount(join(folder, 'none')), folder);
    const peers = ['a', 'b', 'c'].map((name, index) => `${name}=http://${NET}${index + 1}:2380`).join(',');
    for (const { name, address } of this.nodes) {
      const clients = ['--listen-client-urls', '--advertise-client-urls'].flatMap((o) => [o, `http://${address}:2379`]);
      const own = ['--listen-peer-urls', '--initial-advertise-peer-urls'].flatMap((o) => [o, `http://${address}:2380`]);
      const at = ['--name', name, '--data-dir', join(folder, `etcd-${name}`), '--initial-cluster', peers];
      this.#others.push(startLogged(etcd, [...at, ...clients, ...own], folder, `etcd-${name}`));
    }
    this.#others.push(startLogged(haproxy, ['-db', '-f', join(folder, 'haproxy.cfg')], folder, 'haproxy'));
    for (const node of this.nodes) {
      node.start();
    }
  }

  async #fill(databases: readonly string[]): Promise<void> {
    const leader = await this.whole();
    await leader.ask(`create role hookwright login password '${PASSWORD}'`);
    await leader.ask('create role hookwright_api nologin');
    await leader.ask('create role hookwright_outbox nologin');
    await leader.ask('grant hookwright_api to hookwright');
    for (const name of databases) {
      await leader.ask(`create database ${name} owner hookwright encoding 'UTF8' template template0`);
      await migrate(this.urlOf(name));
    }
  }

  /** As ops/patroni/README.md has it. */
  urlOf(database: string, hosts = this.nodes.map(({ address }) => `${address}:5432`).join(',')): string {
    const ca = join(this.folder, 'server.crt');
    return `postgres://hookwright:${PASSWORD}@${hosts}/${database}?sslmode=verify-full&sslrootcert=${ca}`;
  }

  /** By way of HAProxy. */
  proxiedUrlOf(database: string): string {
    return this.urlOf(database, `${NET}9:5000`);
  }

  /** Waits for a leader, a standby that confirms its commits, and another one. @returns the leader */
  async whole(withinMs = WHOLE_MS): Promise<PatroniNode> {
    const members = await eventually(async () => {
      const response = await Promise.any(this.nodes.map(({ address }) => fetch(`http://${address}:8008/cluster`)));
      const { members } = (await response.json()) as { members: Member[] };
      const isWhole = members.every(({ state }) => state === 'running' || state === 'streaming');
      const roles = members.map(({ role }) => role).sort();
      return isWhole && String(roles) === String(ROLES) ? members : Promise.reject(new Error(JSON.stringify(members)));
    }, withinMs);
    return this.nodes.find(({ name }) => name === members.find(({ role }) => role === 'leader')?.name)!;
  }

  /** @returns when the act, which may take longer, has promoted a standby */
  async promotedAt(act: () => unknown, from: PatroniNode): Promise<number> {
    const watched = await Promise.all(
      this.nodes
        .filter((node) => node !== from)
        .map(async (node) => {
          const client = new pg.Client({ connectionString: node.url });
          client.on('error', () => {});
          await client.connect();
          return client;
        }),
    );
    void act();
    try {
      for (;;) {
        for (const client of watched) {
          const { rows } = await client.query('select pg_is_in_recovery() as standby');
          if (rows[0].standby === false) {
            return Date.now();
          }
        }
        await delay(POLL_MS);
      }
    } finally {
      await Promise.all(watched.map((client) => client.end()));
    }
  }

  switchover(leader: PatroniNode): Promise<unknown> {
    const child = startLogged(
      programs().patronictl,
      ['-c', leader.config, 'switchover', '--leader', leader.name, '--force'],
      this.folder,
      'patronictl',
    );
    return once(child, 'exit');
  }

  #kill(): void {
    for (const node of this.nodes) {
      node.kill();
    }
    for (const child of this.#others) {
      child.kill('SIGKILL');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    await delay(1_000); // they leave the folder
    this.#lock.release();
    removeDataDir(this.folder);
  }
}

/** For all addresses of the cluster, signed by itself. */
function makeCertificate(folder: string): void {
  const names = [1, 2, 3, 9].map((number) => `IP:${NET}${number}`).join(',');
  const files = ['-keyout', join(folder, 'server.key'), '-out', join(folder, 'server.crt')];
  const subject = ['-subj', '/CN=patroni', '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
    stdio: 'ignore',
  });
}
