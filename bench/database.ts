import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.js';
import { dropDatabase } from '../test/support/on-server.js';
import { readAllStats, readStat, treeSeconds } from './processes.js';

/** The Postgres settings on which durability depends. */
export interface Durability {
  version: string;
  fsync: string;
  synchronousCommit: string;
}

/** A webhook's endpoint as the service has recorded it; times in microseconds since 1970. */
export interface Health {
  active: boolean;
  consecutiveFailures: number;
  failedAttempts: number;
  attempts: number;
  firstFailureAt: number | null;
  disabledAt: number | null;
}

/** The bench's own connection to the database of the service under test. */
export class BenchDatabase implements AsyncDisposable {
  private constructor(
    readonly url: string,
    readonly pool: pg.Pool,
    /** Null when the server runs elsewhere: its CPU time cannot be read then. */
    private readonly postmaster: number | null,
    private readonly release: () => Promise<void>,
  ) {}

  /** The Postgres of a data folder: the running one, or else it is started. */
  static async embedded(dataDir: string): Promise<BenchDatabase> {
    const postgres = await startEmbeddedPostgres({ dataDir });
    return new BenchDatabase(postgres.url, poolOf(postgres.url), postgres.pid, () => postgres.stop());
  }

  /** A database that is there, and stays. */
  static async given(url: string): Promise<BenchDatabase> {
    const pool = poolOf(url);
    return new BenchDatabase(url, pool, await postmasterOf(pool), async () => {});
  }

  /** A database of its own on an existing server, dropped at the end. */
  static async temporary(serverUrl: string): Promise<BenchDatabase> {
    const name = `hookwright_bench_${randomBytes(4).toString('hex')}`;
    const administration = poolOf(serverUrl);
    await administration.query(`create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = name;
    const pool = poolOf(url.href);
    return new BenchDatabase(url.href, pool, await postmasterOf(pool), async () => {
      await dropDatabase(administration, name);
      await administration.end();
    });
  }

  /** Whether both are on one server, whose CPU time cannot be divided. */
  sharesServerWith(other: BenchDatabase): boolean {
    return this.postmaster === null || this.postmaster === other.postmaster;
  }

  async durability(): Promise<Durability> {
    const { rows } = await this.pool.query<Durability>(
      `select current_setting('server_version') as version, current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as "synchronousCommit"`,
    );
    return rows[0]!;
  }

  /**
   * Whether every delivery has come to an end, so that no outcome is still being written.
   *
   * @param webhookIds null: of all webhooks
   */
  async isSettled(webhookIds: readonly number[] | null): Promise<boolean> {
    const { rows } = await this.pool.query<{ settled: boolean }>(
      `select not exists (
         select from hookwright.deliveries
         where status = 'PENDING' and ($1::bigint[] is null or webhook_id = any($1))) as settled`,
      [webhookIds],
    );
    return rows[0]!.settled;
  }

  /** Deliveries that have not come to an end. @param webhookIds null: of all webhooks */
  async pending(webhookIds: readonly number[] | null): Promise<number> {
    const { rows } = await this.pool.query<{ pending: number }>(
      `select count(*)::integer as pending from hookwright.deliveries
       where status = 'PENDING' and ($1::bigint[] is null or webhook_id = any($1))`,
      [webhookIds],
    );
    return rows[0]!.pending;
  }

  /** Deliveries of webhooks that have failed with this code. */
  async failedWith(code: string, webhookIds: readonly number[]): Promise<number> {
    const { rows } = await this.pool.query<{ failed: number }>(
      `select count(*)::integer as failed from hookwright.deliveries
       where status = 'FAILED' and last_error_code = $1 and webhook_id = any($2)`,
      [code, webhookIds],
    );
    return rows[0]!.failed;
  }

  /** Attempts of a webhook that were recorded so far. */
  async attemptsOf(webhookId: number): Promise<number> {
    const { rows } = await this.pool.query<{ attempts: number }>(
      `select coalesce(sum(attempt_count), 0)::integer as attempts from hookwright.deliveries where webhook_id = $1`,
      [webhookId],
    );
    return rows[0]!.attempts;
  }

  /** Whether a webhook is active, and how many failures its endpoint has had in a row. */
  async rowOf(webhookId: number): Promise<Pick<Health, 'active' | 'consecutiveFailures'>> {
    const { rows } = await this.pool.query<Pick<Health, 'active' | 'consecutiveFailures'>>(
      `select active, consecutive_failures as "consecutiveFailures" from hookwright.webhooks where id = $1`,
      [webhookId],
    );
    return rows[0]!;
  }

  async healthOf(webhookId: number): Promise<Health> {
    const { rows } = await this.pool.query<Omit<Health, 'active' | 'consecutiveFailures'>>(
      `select count(*)::integer as attempts, count(error_code)::integer as "failedAttempts",
              extract(epoch from min(started_at + duration_ms * interval '1 ms')
                                 filter (where error_code is not null))::float8 * 1e6 as "firstFailureAt",
              (select extract(epoch from disabled_at)::float8 * 1e6
               from hookwright.webhooks where id = $1) as "disabledAt"
       from hookwright.attempts a
       where exists (select from hookwright.deliveries d where d.id = a.delivery_id and d.webhook_id = $1)`,
      [webhookId],
    );
    return { ...(await this.rowOf(webhookId)), ...rows[0]! };
  }

  /** CPU seconds of all of the server's processes so far. @returns null when they are not ours to see */
  cpuSeconds(): number | null {
    const stats = this.postmaster === null ? null : readAllStats();
    return stats === null ? null : treeSeconds(stats, this.postmaster!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.end();
    await this.release();
  }
}

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2, application_name: 'hookwright-bench' });
  // An idle connection that is cut off when the server ends is not news.
  pool.on('error', () => {});
  return pool;
}

async function postmasterOf(pool: pg.Pool): Promise<number | null> {
  const { rows } = await pool.query<{ pid: number; address: string | null }>(
    'select pg_backend_pid() as pid, host(inet_server_addr()) as address',
  );
  const { pid, address } = rows[0]!;
  const isHere = address === null || address === '127.0.0.1' || address === '::1';
  const backend = isHere ? readStat(pid) : null;
  return backend?.name === 'postgres' ? backend.parent : null;
}
