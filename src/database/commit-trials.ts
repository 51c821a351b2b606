import type { MikroORM } from '@mikro-orm/postgresql';
import { isSilence, noAnswerInTime } from './outage.js';

/**
 * Limits commits while Postgres answers none (its synchronous standbys are silent). Each would keep its connection here
 * and its session there, until nothing is left for reads. So after the first commit without an answer one at a time is
 * tried, and all others fail at once, until one succeeds.
 */
class CommitTrials {
  #isSilent = false;
  #isTrying = false;

  /** @throws Error like one of Postgres that did not answer in time; what `work` throws */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const isTrial = this.#isSilent;
    if (isTrial && this.#isTrying) {
      throw noAnswerInTime();
    }
    this.#isTrying ||= isTrial;
    try {
      const result = await work();
      this.#isSilent = false;
      return result;
    } catch (error) {
      this.#isSilent ||= isSilence(error);
      throw error;
    } finally {
      this.#isTrying &&= !isTrial;
    }
  }
}

const trials = new WeakMap<MikroORM, CommitTrials>();

/** One for each database of this process. All work that commits for a caller goes through it. */
export function commitTrials(orm: MikroORM): CommitTrials {
  const known = trials.get(orm) ?? new CommitTrials();
  trials.set(orm, known);
  return known;
}
