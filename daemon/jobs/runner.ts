import { setTimeout as delay } from 'node:timers/promises';
import { type RunnerDeps, RunnerLife } from './runner-life.js';

const RESTART_PAUSE_MS = 1_000;
/** The first fetch reads the ids of the tasks; when that fails, graphile-worker never tries it again. */
const FIRST_FETCH_MS = 10_000;

/**
 * A graphile-worker runner that is always there. A runner ends, without an error, when Postgres blips while jobs are
 * completed; so when one stops fetching, another is started at once, and the old one's jobs in hand go on beside it.
 * None runs while Postgres is silent.
 */
export class SupervisedRunner {
  readonly #stopping = new AbortController();
  readonly #supervision: Promise<void>;
  readonly #endings = new Set<Promise<void>>();
  /** Runners that may have jobs locked. */
  readonly #lives = new Set<RunnerLife>();
  #current: RunnerLife | undefined;
  /** The log says that no jobs are fetched, and not yet that they are again. */
  #interrupted = false;
  #stopped: Promise<void> | undefined;

  constructor(private readonly deps: RunnerDeps) {
    this.#supervision = this.#supervise();
  }

  /** The runner that fetches jobs at the moment; undefined: none does. */
  get life(): RunnerLife | undefined {
    return this.#current;
  }

  /** Stops fetching, and waits until the jobs in hand have ended and are completed. */
  stop(): Promise<void> {
    this.#stopped ??= (async () => {
      this.#stopping.abort();
      await this.#supervision;
      await Promise.all(this.#endings);
    })();
    return this.#stopped;
  }

  /** Leaves the jobs in hand to other processes: there is no more time for them. */
  async leave(): Promise<void> {
    await Promise.all([...this.#lives].map((life) => life.leave()));
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    const { log, control } = this.deps;
    while (!signal.aborted) {
      await control.reachable(signal).catch(() => {});
      if (signal.aborted) {
        return;
      }
      const life = new RunnerLife(this.deps);
      this.#lives.add(life);
      try {
        await life.start();
        this.#current = life;
        void life.fetches.then(() => this.#logFetching(life));
        const why = await this.#untilItEnds(life);
        if (!signal.aborted) {
          this.#interrupted = true;
          log.warn({ why }, 'the job runner stopped fetching; starting another');
        }
      } catch (error) {
        this.#interrupted = true;
        log.warn({ err: error }, 'the job runner did not start; trying again');
      }
      this.#current = undefined;
      const ending = life.end(signal).finally(() => {
        this.#lives.delete(life);
        this.#endings.delete(ending);
      });
      this.#endings.add(ending);
      await delay(RESTART_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  #logFetching(life: RunnerLife): void {
    if (this.#interrupted && life === this.#current) {
      this.#interrupted = false;
      this.deps.log.info('jobs are fetched again');
    }
  }

  async #untilItEnds(life: RunnerLife): Promise<string> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort('nothing could be fetched'), FIRST_FETCH_MS);
    void life.fetches.then(() => clearTimeout(timer));
    const ended = AbortSignal.any([life.fetching, this.#stopping.signal, late.signal]);
    await this.deps.control.fence.untilSilent(ended);
    clearTimeout(timer);
    return ended.aborted ? String(ended.reason) : 'the database is silent';
  }
}
