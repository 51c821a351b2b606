import type pg from 'pg';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { version } from '../node/version.js';
import { Meter } from './meter.js';

/** The metrics of every process: of Node, and of its connections to Postgres. */
export class ProcessMetrics {
  readonly #pools = new Map<string, pg.Pool>();

  /** @param isRead measuring the event loop's lag wakes the process 100 times a second */
  constructor(registry: Registry, isRead: boolean) {
    if (isRead) {
      collectDefaultMetrics({ register: registry });
    }
    const meter = new Meter(registry);
    meter.gauge('hookwright_build_info', 'Always 1; the version is a label.', () => [[{ version }, 1]], ['version']);
    meter.gauge(
      'hookwright_database_connections',
      'Connections of the pools for hot statements, by state: in use or idle.',
      () =>
        [...this.#pools].flatMap(([pool, { totalCount, idleCount }]) => [
          [{ pool, state: 'idle' }, idleCount],
          [{ pool, state: 'in_use' }, totalCount - idleCount],
        ]),
      ['pool', 'state'],
    );
    const perPool = (name: string, help: string, read: (pool: pg.Pool) => number) =>
      meter.gauge(name, help, () => [...this.#pools].map(([pool, one]) => [{ pool }, read(one)]), ['pool']);
    perPool(
      'hookwright_database_connections_max',
      'How many connections a pool may have (DATABASE_POOL_MAX); fewer for seconds after Postgres has refused one more.',
      ({ options }) => options.max ?? 0,
    );
    perPool(
      'hookwright_database_waiting',
      'Statements and transactions that wait for a connection of the pool.',
      ({ waitingCount }) => waitingCount,
    );
  }

  watchPool(name: 'api' | 'daemon', pool: pg.Pool): void {
    this.#pools.set(name, pool);
  }
}
