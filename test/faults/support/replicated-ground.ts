import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../../src/operations/installation/migrate.js';
import { SUPERUSER } from '../../../src/platform/embedded-postgres/cluster.js';
import {
  type EmbeddedPostgres,
  lockDataFolder,
  removeDataDir,
  startEmbeddedPostgres,
} from '../../../src/platform/embedded-postgres/embedded-postgres.js';
import { isPostgres } from '../../../src/platform/embedded-postgres/postgres-process.js';
import { eventually } from '../../support/eventually.js';
import { onServer } from '../../support/on-server.js';
import { makeDataDir } from '../../support/temporary-postgres.js';
import type { Ground } from './ground.js';

const MAX_CONNECTIONS = 200;

/** One server of the pair. */
class Node {
  readonly dataDir = makeDataDir();
  readonly #lock = lockDataFolder(this.dataDir);
  postgres: EmbeddedPostgres | undefined;
  port: number | undefined;
  #stopped: number | undefined;

  async start(): Promise<void> {
    const { dataDir, port } = this;
    this.postgres = await startEmbeddedPostgres({ dataDir, maxConnections: MAX_CONNECTIONS, ...(port && { port }) });
    this.port = Number(new URL(this.postgres.url).port);
  }

  /** As its administrator. */
  async ask<Row extends object>(sql: string): Promise<Row[]> {
    const url = Object.assign(new URL(this.postgres!.url), { username: SUPERUSER }).href;
    let rows: Row[] = [];
    await onServer(url, async (client) => {
      rows = (await client.query<Row>(sql)).rows;
    });
    return rows;
  }

  /** From now on the standby gets nothing, as on a link that is full. */
  async stopReplication(): Promise<void> {
    const [sender] = await this.ask<{ pid: number }>('select pid from pg_stat_replication');
    this.#stopped = sender!.pid;
    process.kill(this.#stopped, 'SIGSTOP');
  }

  /** The link is free again: what was to be sent is sent, if the standby still wants it. */
  resumeReplication(): void {
    process.kill(this.#stopped!, 'SIGCONT');
    this.#stopped = undefined;
  }

  /** Every session is cut; nothing more is sent to standbys. */
  async crash(): Promise<void> {
    const { pid } = this.postgres!;
    process.kill(pid, 'SIGQUIT');
    if (this.#stopped !== undefined) {
      process.kill(this.#stopped, 'SIGKILL'); // a stopped process does not end by itself
    }
    await eventually(() => !isPostgres(pid), 30_000);
    await this.postgres!.stop(); // it has ended: this only forgets it
  }

  async close(): Promise<void> {
    await this.postgres?.stop();
    this.#lock.release();
    removeDataDir(this.dataDir);
  }
}

/** A primary and a standby that follows it. The url names both. */
export class ReplicatedGround implements Ground {
  private constructor(
    readonly primary: Node,
    readonly standby: Node,
  ) {}

  /** @param synchronous a commit is answered when the standby has it */
  static async open(synchronous: boolean): Promise<ReplicatedGround> {
    const ground = new ReplicatedGround(new Node(), new Node());
    const { primary, standby } = ground;
    await primary.start();
    await migrate(primary.postgres!.url);
    await primary.postgres!.stop();
    const folder = join(standby.dataDir, 'pg');
    for (const name of ['pg', 'pg-password']) {
      cpSync(join(primary.dataDir, name), join(standby.dataDir, name), { recursive: true, preserveTimestamps: true });
    }
    rmSync(join(folder, 'postmaster.pid'), { force: true });
    writeFileSync(join(folder, 'standby.signal'), '');
    await primary.start();
    const { password } = new URL(primary.postgres!.url);
    appendFileSync(
      join(folder, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${SUPERUSER} password=${password}'\n`,
    );
    await standby.start();
    await eventually(async () => (await primary.ask('select from pg_stat_replication')).length === 1, 30_000);
    if (synchronous) {
      await primary.ask(`alter system set synchronous_standby_names = '*'`);
      await primary.ask('select pg_reload_conf()');
    }
    return ground;
  }

  get url(): string {
    const { host } = new URL(this.primary.postgres!.url);
    return this.primary.postgres!.url.replace(host, `${host},127.0.0.1:${this.standby.port}`);
  }

  async promote(): Promise<void> {
    await this.standby.ask('select pg_promote()');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.primary.close();
    await this.standby.close();
  }
}
