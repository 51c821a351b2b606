import { type FinishedAttempt, hasFailed } from '../../src/operations/attempts/finished-attempt.js';
import type { RecordedStatus } from '../../src/operations/attempts/record-attempts.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import { orLocked } from '../../src/platform/database/impatient-transaction.js';
import type { NotNow } from '../gate/not-now.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import { LockedOutOutcomes } from './locked-out-outcomes.js';
import { OutcomeWriter, type OutcomeWriterDeps } from './outcome-writer.js';

interface RecorderDeps extends OutcomeWriterDeps {
  metrics: Pick<DaemonMetrics, 'disabled' | 'unknownOutcomes' | 'batch'>;
  slots: number;
}

const BATCH_MAX = 256;
/**
 * At ordinary rates each outcome would have a transaction of its own. They share one for this long, as long as they
 * occupy few of the workers (docs/decisions/0042).
 */
const LINGER_MS = 25;
const LINGER_SHARE = 1 / 8;
/** Longer than a commit of another daemon takes: Postgres grants locks in the order of the requests. */
const LOCK_WAIT_MS = 2_000;
/** Outcomes per slot that may wait: while one batch is being written, as many wait for the next. */
const BATCHES_WAITING = 2;

/** Takes the outcomes of attempts, and has each written together with others that ended meanwhile. */
export class Recorder {
  /**
   * How many outcomes may wait to be written. Each takes a slot before its `record`, which gives it back, so that no
   * more requests are made than can be recorded.
   */
  readonly room: Slots;
  readonly #together: GroupCommit<FinishedAttempt, RecordedStatus | 'LOCKED'>;
  readonly #lockedOut: LockedOutOutcomes;

  constructor(private readonly deps: RecorderDeps) {
    const onBatch = deps.metrics.batch('record');
    this.room = new Slots(deps.slots * BATCHES_WAITING);
    this.#lockedOut = new LockedOutOutcomes(deps, onBatch);
    const writer = new OutcomeWriter(deps, LOCK_WAIT_MS);
    const write = async (attempts: readonly FinishedAttempt[]) => {
      const statuses = await orLocked(writer.write(attempts));
      return statuses === 'LOCKED' ? attempts.map(() => statuses) : statuses;
    };
    // One batch at a time: two would only wait for each other, on the rows of the webhooks that they share. While the
    // database is away the batch is kept, and outcomes that end later wait behind it: nothing overtakes.
    const linger = { ms: LINGER_MS, itemsMax: Math.ceil(deps.slots * LINGER_SHARE), isUrgent: othersWait };
    this.#together = new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch, linger });
  }

  /** @returns null: the webhook may be sent to */
  notNow(webhookId: number): NotNow | null {
    return this.#lockedOut.notNow(webhookId);
  }

  /** @returns the state that the delivery has now; null when the attempt was recorded before, or by nobody */
  async record(attempt: FinishedAttempt): Promise<RecordedStatus> {
    const answer = await this.#together.runOne(attempt).finally(() => this.room.give());
    const status = answer === 'LOCKED' ? await this.#lockedOut.record(attempt) : answer;
    this.#logAttempt(attempt, status !== null);
    return status;
  }

  /** One line for each attempt would be most of the log, and all of it is in the table: only for LOG_LEVEL=debug. */
  #logAttempt({ delivery, outcome, result }: FinishedAttempt, recorded: boolean): void {
    const { log } = this.deps;
    if (log.isLevelEnabled('debug')) {
      const { id: deliveryId, attemptNumber: attempt, webhookId, tenantId } = delivery;
      const { durationMs } = result;
      log.debug({ deliveryId, attempt, webhookId, tenantId, durationMs, outcome, recorded }, 'attempt');
    }
  }
}

/** It decides on retries, probes, the end of a streak or the next of a key, for which other deliveries wait. */
const othersWait = (attempt: FinishedAttempt) =>
  hasFailed(attempt) || attempt.delivery.failuresAtLoad > 0 || attempt.delivery.isOrdered;
