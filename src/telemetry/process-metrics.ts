import type pg from 'pg';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { version } from '../node/version.js';

/** What every process tells Prometheus: of Node, and of its connections to Postgres. */
export class ProcessMetrics {
  readonly #pools = new Map<string, pg.Pool>();

  constructor(registry: Registry) {
    const registers = [registry];
    const pools = this.#pools;
    collectDefaultMetrics({ register: registry });
    new Gauge({
      name: 'hookwright_build_info',
      help: 'Always 1; the version is a label.',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    new Gauge({
      name: 'hookwright_database_connections',
      help: 'Connections of the pools for hot statements, by state: in use or idle.',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const [pool, { totalCount, idleCount }] of pools) {
          this.set({ pool, state: 'idle' }, idleCount);
          this.set({ pool, state: 'in_use' }, totalCount - idleCount);
        }
      },
    });
    new Gauge({
      name: 'hookwright_database_connections_max',
      help: 'How many connections a pool may have (DATABASE_POOL_MAX); fewer for seconds after Postgres has refused one more.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { options }] of pools) {
          this.set({ pool }, options.max ?? 0);
        }
      },
    });
    new Gauge({
      name: 'hookwright_database_waiting',
      help: 'Statements and transactions that wait for a connection of the pool.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { waitingCount }] of pools) {
          this.set({ pool }, waitingCount);
        }
      },
    });
  }

  watchPool(name: 'api' | 'daemon', pool: pg.Pool): void {
    this.#pools.set(name, pool);
  }
}
