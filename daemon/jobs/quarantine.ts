import type { Logger } from 'pino';
import { setJobAside, splitJobGroup } from '../../src/operations/jobs/quarantined-jobs.js';
import type { DeliverGroupPayload, DeliverPayload } from '../../src/operations/jobs/tasks.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import type { Database } from '../../src/platform/database/database.js';
import { orLocked } from '../../src/platform/database/impatient-transaction.js';
import { isDatabaseAway } from '../../src/platform/database/outage.js';
import { ASIDE_SECONDS, SUSPECT_FROM_FETCH } from '../../src/platform/graphile-worker/job-conditions.js';
import { forgetJobAside } from '../../src/platform/graphile-worker/waiting-jobs.js';
import { SendingStopped } from '../liveness/fence.js';

/** Waiting suspects keep workers busy. A suspect that finds the line full comes again soon. */
const LINE_MAX = 16;
const LINE_FULL_SECONDS = 2;
const OUR_FAULT_SECONDS = 10;

interface FetchedJob {
  id: string;
  /** How often it was fetched, this time included. */
  attempts: number;
}

/**
 * A job that kills its process takes all other jobs in hand along, so the killer is not known. From its fifth fetch a
 * job is a suspect: it is put aside for an hour, and then run with no other suspect beside it. That ends the matter for
 * the innocent. The killer ends this process too, but the next one finds it put aside: it can do so once an hour.
 * Nothing is lost, and the log names the delivery.
 *
 * A suspect that cannot be put aside, because another session has its row locked, is not run: it comes again.
 */
export class Quarantine {
  readonly #oneAtOnce = new Slots(1);
  #waiting = 0;

  constructor(private readonly deps: { db: Database; log: Logger }) {}

  /** Runs `work`; a suspect as described above. @throws what `work` throws, unless the job is a suspect */
  run(job: FetchedJob, payload: DeliverPayload, work: () => Promise<void>): Promise<void> {
    return job.attempts < SUSPECT_FROM_FETCH ? work() : this.#runSuspect(job, payload, work);
  }

  async #runSuspect(job: FetchedJob, payload: DeliverPayload, work: () => Promise<void>): Promise<void> {
    const { db, log } = this.deps;
    if (this.#waiting >= LINE_MAX) {
      const times = { seconds: LINE_FULL_SECONDS, fetches: job.attempts - 1 };
      await setJobAside(db.pool, job.id, payload, times);
      return;
    }
    this.#waiting += 1;
    try {
      await this.#oneAtOnce.run(async () => {
        const times = { seconds: ASIDE_SECONDS, fetches: job.attempts };
        await setJobAside(db.pool, job.id, payload, times);
        const suspect = { deliveryId: payload.id, attempt: payload.attempt, fetches: job.attempts };
        log.error(
          { ...suspect, asideSeconds: ASIDE_SECONDS },
          'a job was fetched again and again without being finished; it is put aside, and tried once, alone',
        );
        await work().then(
          () => forgetJobAside(db.pool, payload),
          (error: unknown) => this.#failed(job, payload, error),
        );
      });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Runs a group. A group that its first worker did not finish is split, so that each delivery has its own job. */
  runGroup(
    job: FetchedJob & { priority: number },
    payload: DeliverGroupPayload,
    work: () => Promise<void>,
  ): Promise<void> {
    return job.attempts === 1 ? work() : splitJobGroup(this.deps.db.pool, payload, job.priority);
  }

  /** The job stays aside, unless a fault of our own ended the attempt and no other session has the job locked. */
  async #failed(job: FetchedJob, payload: DeliverPayload, error: unknown): Promise<void> {
    const { db, log } = this.deps;
    log.error({ err: error, deliveryId: payload.id, fetches: job.attempts }, 'the job that was put aside failed');
    if (error instanceof SendingStopped || isDatabaseAway(error)) {
      const times = { seconds: OUR_FAULT_SECONDS, fetches: job.attempts - 1 };
      await orLocked(setJobAside(db.pool, null, payload, times));
    }
  }
}
