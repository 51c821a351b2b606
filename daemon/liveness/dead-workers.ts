import type pg from 'pg';
import type { Logger } from 'pino';
import { findOwnerlessPools, freeJobsOfDead } from '../../src/platform/graphile-worker/worker-pools.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

/** A daemon whose connection was cut has this long to connect and lock its pools again, which it does at once. */
export const MISSED_FOR_MS = 1_000;
/** Whatever cut our own connection may have cut those of all processes. */
const RECONNECT_GRACE_MS = 8_000;

/**
 * Frees the jobs of processes that died, within seconds; graphile-worker itself waits for four hours. A sweep is one
 * query while no pool is missing.
 */
export class DeadWorkers {
  /** By pool (monotonic, ms). */
  #missingSince = new Map<string, number>();
  #notBefore = 0;

  constructor(
    private readonly log: Logger,
    private readonly metrics: Pick<DaemonMetrics, 'sweep' | 'freedJobs'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Forgets the findings of an earlier connection. */
  startOver({ again }: { again: boolean }): void {
    this.#missingSince.clear();
    this.#notBefore = this.now() + (again ? RECONNECT_GRACE_MS : 0);
  }

  /** @returns whether a pool is missing that may yet come back: the next sweep should come soon */
  async sweep(client: pg.ClientBase, ownPoolIds: readonly string[]): Promise<boolean> {
    const missing = await findOwnerlessPools(client, ownPoolIds);
    if (this.now() < this.#notBefore) {
      return false;
    }
    this.#missingSince = new Map(missing.map((id) => [id, this.#missingSince.get(id) ?? this.now()]));
    const dead = missing.filter((id) => this.now() - this.#missingSince.get(id)! >= MISSED_FOR_MS);
    this.metrics.sweep('dead_workers', dead.length);
    // 0 of some: another session has their rows locked; a later sweep finds them.
    const jobs = dead.length === 0 ? 0 : await freeJobsOfDead(client, dead);
    if (jobs > 0) {
      this.metrics.freedJobs.inc(jobs);
      this.log.warn({ pools: dead, jobs }, 'freed the jobs of workers that have gone');
    }
    return missing.length > dead.length;
  }
}
