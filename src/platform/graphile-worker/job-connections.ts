import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { KEPT_WHEN_IDLE_MS, onPoolErrors, poolOptions } from '../database/database.js';
import { QuietClient } from '../database/driver/quiet-client.js';

/**
 * Plans are kept, which halves the cost of a fetch, and must be good for an empty table and a long one: they read jobs
 * in order and find each by its id; other plans are priced too high to be chosen (docs/decisions/0017). A fetch does
 * not wait for the disk: after a crash a fetched job may be there again (docs/decisions/0008).
 */
export const JOB_CONNECTION = [
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_sort=off',
  'cpu_operator_cost=10',
  'synchronous_commit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
const CONNECTIONS_MAX = 5;
const GATE_TIMEOUT_MS = 3_000;

/**
 * graphile-worker gets no connection by promise until other processes know that the worker pool is alive: they would
 * take its first jobs for those of a dead pool.
 */
export class GatedPool extends pg.Pool {
  #gate: Promise<void> | undefined;

  closeUntil(opening: Promise<void>): void {
    this.#gate = opening.then(() => {
      this.#gate = undefined;
    });
    this.#gate.catch(() => {}); // `connect` throws the error
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool['connect']>[0]): void;
  override connect(callback?: Parameters<pg.Pool['connect']>[0]): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      super.connect(callback);
      return undefined;
    }
    return this.#gate === undefined ? super.connect() : this.#connectAfter(this.#gate);
  }

  async #connectAfter(gate: Promise<void>): Promise<pg.PoolClient> {
    const tooLate = delay(GATE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('The worker pool could not be announced as alive.');
    });
    await Promise.race([gate, tooLate]);
    return await super.connect();
  }
}

/** Opens a pool with time limits, which graphile-worker's own pool lacks. */
export function openJobConnections(url: string, log: Logger): GatedPool {
  const connections = new GatedPool({
    ...poolOptions(url, CONNECTIONS_MAX, JOB_CONNECTION),
    idleTimeoutMillis: KEPT_WHEN_IDLE_MS,
    Client: QuietClient,
  });
  onPoolErrors(connections, (error) => {
    // A pool ends before its connections do: a Postgres that ends at the same time may close them first.
    if (!connections.ending) {
      log.warn({ err: error }, 'a job connection broke');
    }
  });
  return connections;
}
