import { Counts } from '../../src/platform/concurrency/counts.js';

/** One webhook may have this share of a daemon's workers. */
const SHARE_MAX = 0.9;

/** The delivery of a group shares a worker with the others. */
export const weightOf = (isGrouped: boolean): number => (isGrouped ? 1 : SINGLE);
const SINGLE = 4;

/**
 * How many of a daemon's workers each webhook occupies: attempts under way, and outcomes that are not recorded yet. A
 * webhook whose outcomes cannot be recorded leaves some workers to the others, also before its trouble is noticed.
 */
export class WorkerShares {
  readonly #used = new Counts<number>();
  readonly #max: number;

  constructor(slots: number) {
    this.#max = Math.ceil(slots * SHARE_MAX) * SINGLE;
  }

  /** @returns whether the webhook had enough left; then it must be given back */
  tryTake(webhookId: number, weight: number): boolean {
    const isFree = this.#used.of(webhookId) + weight <= this.#max;
    if (isFree) {
      this.#used.add(webhookId, weight);
    }
    return isFree;
  }

  give(webhookId: number, weight: number): void {
    this.#used.add(webhookId, -weight);
  }
}
