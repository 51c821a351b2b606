import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ENDING, isSilence, noAnswerInTime, outageIn } from './outage.js';

/** Commits something, so it waits for the standbys, and changes nothing. */
const PROBE = `select pg_logical_emit_message(true, 'hookwright', '')`;
const PROBE_EVERY_MS = 500;

/**
 * Limits commits while Postgres answers none (its synchronous standbys are silent). Each would keep its connection here
 * and its session there, until nothing is left for reads. So after the first commit without an answer one probe at a
 * time is committed, and everything else fails at once, until a probe succeeds.
 */
class Commits {
  #isProbing = false;

  constructor(private readonly orm: MikroORM) {}

  /** @throws Error like that of a database that did not answer in time, while none is answered */
  requireAnswers(): void {
    if (this.#isProbing) {
      throw noAnswerInTime();
    }
  }

  /** @throws Error as requireAnswers; what `work` throws */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.requireAnswers();
    try {
      return await work();
    } catch (error) {
      if (isSilence(error) && !this.#isProbing) {
        void this.#probe();
      }
      throw error;
    }
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    while (!(await this.#hasAnswer())) {
      await delay(PROBE_EVERY_MS, undefined, { ref: false });
    }
    this.#isProbing = false;
  }

  /** Whether Postgres answers a commit; also yes when the probe itself fails, or this process ends. */
  async #hasAnswer(): Promise<boolean> {
    try {
      await this.orm.em.fork().execute(PROBE);
      return true;
    } catch (error) {
      const outage = outageIn(error);
      return outage === null || outage === ENDING;
    }
  }
}

const known = new WeakMap<MikroORM, Commits>();

/** The commits of a database, by this process. All work that commits for a caller goes through them. */
export function commitsOf(orm: MikroORM): Commits {
  const commits = known.get(orm) ?? new Commits(orm);
  known.set(orm, commits);
  return commits;
}
