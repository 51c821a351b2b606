import { setTimeout as delay } from 'node:timers/promises';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { RecordedStatus } from '../../src/operations/attempts/record-attempts.js';
import { Counts } from '../../src/platform/concurrency/counts.js';
import { LogThrottle } from '../../src/platform/concurrency/log-throttle.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import { orLocked } from '../../src/platform/database/impatient-transaction.js';
import type { NotNow } from '../gate/not-now.js';
import { OutcomeWriter, type OutcomeWriterDeps } from './outcome-writer.js';

/** The batch has waited for longer. */
const LOCK_WAIT_MS = 100;
const PAUSE_MS = 1_000;
const PUT_OFF_MS_MIN = 10_000;
const PUT_OFF_MS_SPREAD = 5_000;

/**
 * Records the outcomes of a batch that another session, such as an administrator's, keeps from being recorded: each
 * alone, so that a locked row keeps back the outcomes of its own webhook only. Those wait until the row is free.
 */
export class LockedOutOutcomes {
  readonly #alone: GroupCommit<FinishedAttempt, RecordedStatus>;
  /** Outcomes that are known to wait for a lock, by webhook. */
  readonly #waiting = new Counts<number>();
  readonly #logThrottle = new LogThrottle();

  constructor(
    private readonly deps: OutcomeWriterDeps,
    onBatch: (items: number) => void,
  ) {
    const writer = new OutcomeWriter(deps, LOCK_WAIT_MS);
    // One at a time, of each webhook in turn, so that the others do not wait for all outcomes of one that is locked.
    const keyOf = ([first]: readonly FinishedAttempt[]) => first?.delivery.webhookId;
    const options = { itemsMax: 1, inFlightMax: 1, onBatch, keyOf };
    this.#alone = new GroupCommit((attempts) => writer.write(attempts), options);
  }

  /** @returns null: no outcome of the webhook waits for a lock */
  notNow(webhookId: number): NotNow | null {
    return this.#waiting.of(webhookId) === 0 ? null : { putOffMs: PUT_OFF_MS_MIN + Math.random() * PUT_OFF_MS_SPREAD };
  }

  /** @throws Error when the attempt cannot be recorded, or the daemon has no more time */
  async record(attempt: FinishedAttempt): Promise<RecordedStatus> {
    const status = await orLocked(this.#alone.runOne(attempt));
    return status === 'LOCKED' ? await this.#recordOnceUnlocked(attempt) : status;
  }

  async #recordOnceUnlocked(attempt: FinishedAttempt): Promise<RecordedStatus> {
    const { fence, log } = this.deps;
    const { webhookId, tenantId } = attempt.delivery;
    this.#waiting.add(webhookId, 1);
    try {
      while (!fence.givenUp) {
        const message = 'another session has rows of a webhook locked: its outcomes wait, and nothing is sent to it';
        if (this.#logThrottle.take(message)) {
          log.warn({ webhookId, tenantId }, message);
        }
        await delay(PAUSE_MS);
        const status = await orLocked(this.#alone.runOne(attempt));
        if (status !== 'LOCKED') {
          return status;
        }
      }
      throw new Error('Another session has locked a row that the outcome belongs to.');
    } finally {
      this.#waiting.add(webhookId, -1);
    }
  }
}
