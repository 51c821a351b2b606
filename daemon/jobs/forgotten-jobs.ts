import type { Logger } from 'pino';
import { type Database, STATEMENT_TIMEOUT_MS } from '../../src/database/database.js';
import { findForgotten, freeJobs } from '../../src/graphile-worker/locked-jobs.js';

/** What locked a job, a fetch or an emit that claims, is over then, and its reply has come or never will. */
const FORGOTTEN_AFTER_SECONDS = STATEMENT_TIMEOUT_MS / 1_000 + 3;

/** Jobs that a worker pool has locked without its knowing, because a reply was lost. */
export class ForgottenJobs {
  /** Those that the last look found. */
  #suspected = new Set<string>();

  constructor(private readonly deps: { db: Pick<Database, 'pool'>; log: Logger }) {}

  /**
   * Frees those that were found by the last look too: a process that has stood still reads its replies between the two.
   * Those whose rows another session has locked are freed by a later look.
   *
   * @param known the ids of the jobs that the pool knows it has, now
   */
  async free(poolId: string, known: () => readonly string[]): Promise<void> {
    const { db, log } = this.deps;
    const found = await findForgotten(db.pool, poolId, known(), FORGOTTEN_AFTER_SECONDS);
    const knownNow = new Set(known());
    const forgotten = found.filter((id) => this.#suspected.has(id) && !knownNow.has(id));
    this.#suspected = new Set(found);
    const freed = forgotten.length === 0 ? 0 : await freeJobs(db.pool, poolId, forgotten);
    if (freed > 0) {
      log.warn({ jobs: freed }, 'freed jobs that a lost reply of Postgres had left locked');
    }
  }
}
