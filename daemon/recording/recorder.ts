import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type FinishedAttempt, hasFailed } from '../../src/operations/attempts/finished-attempt.js';
import { type RecordedStatus, recordAttempts } from '../../src/operations/attempts/record-attempts.js';
import { enqueueAlign } from '../../src/operations/jobs/enqueue.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import type { Database } from '../../src/platform/database/database.js';
import { isTooSlow } from '../../src/platform/database/driver/sql-state.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import { isDatabaseAway } from '../../src/platform/database/outage.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Permit } from '../gate/gate.js';
import type { NotNow } from '../gate/not-now.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import { LateOutcomes } from './late-outcomes.js';
import { WorkerShares } from './worker-shares.js';

interface RecorderDeps {
  config: Pick<Config, 'holdHours' | 'failureStreakMsMin'>;
  db: Pick<Database, 'pool'>;
  fence: Fence;
  log: Logger;
  metrics: DaemonMetrics;
  slots: number;
}

const BATCH_MAX = 256;
/**
 * At ordinary rates each outcome would have a transaction of its own. They share one for this long, as long as they
 * occupy few of the workers (docs/decisions/0042).
 */
const LINGER_MS = 25;
const LINGER_SHARE = 1 / 8;
/** Outcomes per slot that may wait: while one batch is being written, as many wait for the next. */
const BATCHES_WAITING = 2;
/** Every outcome behind the batch waits for a lock that the batch waits for. */
const LOCK_WAIT_MS = 100;
const AWAY_PAUSE_MS = 500;
/** Deliveries that were put off in the last moment are woken too. */
const WAKE_IN_MS = 1_000;
const BEGIN_PAUSE_MS = 10;
const BEGIN_WAIT_MS_MAX = 500;
const BEGIN_PUT_OFF_MS = 1_000;

/** An attempt that another session keeps from being recorded now. */
interface Later {
  recorded: Promise<RecordedStatus>;
}

/** Writes the outcomes of attempts, each together with others that ended meanwhile. */
export class Recorder {
  /**
   * How many outcomes may wait to be written. Each takes a slot before its `record`, which gives it back, so that no
   * more requests are made than can be recorded.
   */
  readonly room: Slots;
  readonly #shares: WorkerShares;
  readonly #records: GroupCommit<FinishedAttempt, RecordedStatus | Later>;
  readonly #late: LateOutcomes;

  constructor(private readonly deps: RecorderDeps) {
    const onBatch = deps.metrics.batch('record');
    this.room = new Slots(deps.slots * BATCHES_WAITING);
    this.#shares = new WorkerShares(deps.slots);
    this.#late = new LateOutcomes({
      ...deps,
      onBatch,
      write: (attempts, lockWaitMs) => this.#onceDatabaseAnswers(() => this.#write(attempts, lockWaitMs)),
      onUnlocked: (webhook) => void this.#wake(webhook),
    });
    // One batch at a time: two would only wait for each other, on the rows of the webhooks that they share.
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeOnceAnswered(attempts);
    const linger = { ms: LINGER_MS, itemsMax: Math.ceil(deps.slots * LINGER_SHARE), isUrgent: changesHealth };
    this.#records = new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch, linger });
  }

  /** Whether outcomes of the webhook wait for a row that another session has locked, or had a moment ago. */
  hasLine(webhookId: number): boolean {
    return this.#late.hasLine(webhookId);
  }

  /** @returns null: the webhook may be sent to */
  notNow(webhookId: number): NotNow | null {
    return this.#late.isEmpty ? null : this.#late.notNow(webhookId);
  }

  /** @returns whether an attempt may begin; `record` or `end` follows then */
  tryBegin(webhookId: number, weight: number): boolean {
    return this.#shares.tryTake(webhookId, weight);
  }

  /**
   * `tryBegin`, which waits for a moment while the webhook has nearly all workers.
   *
   * @param permit given back when the attempt may not begin
   * @returns null: the attempt may begin
   * @throws SendingStopped when outcomes cannot be recorded: the delivery, loaded before, may be out of date then
   */
  async begin(webhookId: number, weight: number, permit: Permit): Promise<NotNow | null> {
    const endAt = performance.now() + BEGIN_WAIT_MS_MAX;
    while (!this.#shares.tryTake(webhookId, weight)) {
      if (this.deps.fence.closed) {
        permit.giveBack();
        throw new SendingStopped('The request was not sent: outcomes cannot be recorded at the moment.');
      }
      const notNow = this.notNow(webhookId) ?? (performance.now() >= endAt ? { putOffMs: BEGIN_PUT_OFF_MS } : null);
      if (notNow !== null) {
        permit.giveBack();
        return notNow;
      }
      await delay(BEGIN_PAUSE_MS);
    }
    return null;
  }

  /** An attempt ends without an outcome. */
  end(webhookId: number, weight: number): void {
    this.#shares.give(webhookId, weight);
  }

  /**
   * The request has been made: losing its outcome would repeat it, so a database that is away is waited for, until
   * the daemon has no more time to end, and meanwhile nothing else is sent.
   *
   * @returns the state that the delivery has now; null when the attempt was recorded before, or by nobody
   */
  async record(attempt: FinishedAttempt, weight: number): Promise<RecordedStatus> {
    try {
      const answer = await this.#records.runOne(attempt).finally(() => this.room.give());
      const status = answer !== null && typeof answer === 'object' ? await answer.recorded : answer;
      this.#logAttempt(attempt, status !== null);
      return status;
    } finally {
      this.end(attempt.delivery.webhookId, weight);
    }
  }

  /**
   * While the database is away the batch is kept, and outcomes that end later wait behind it: nothing overtakes. A
   * batch that takes longer than a statement may would do so again: its halves take less.
   */
  async #writeOnceAnswered(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Later)[]> {
    const isTooMuch = (error: unknown) => attempts.length > 1 && isTooSlow(error);
    try {
      return await this.#onceDatabaseAnswers(() => this.#writeBatch(attempts), isTooMuch);
    } catch (error) {
      if (!isTooMuch(error)) {
        throw error;
      }
      if (this.deps.fence.givenUp) {
        // GroupCommit would try the attempts one by one after the original error, for which there is no time.
        throw new Error('Outcomes could not be recorded before the end.', { cause: error });
      }
    }
    const half = Math.ceil(attempts.length / 2);
    const first = await this.#writeOnceAnswered(attempts.slice(0, half));
    return [...first, ...(await this.#writeOnceAnswered(attempts.slice(half)))];
  }

  /**
   * Tries again while the database is away and the daemon has time; meanwhile nothing else is sent.
   *
   * @param isInVain whether `tryOnce` would end in the same error again
   */
  async #onceDatabaseAnswers<Result>(
    tryOnce: () => Promise<Result>,
    isInVain: (error: unknown) => boolean = () => false,
  ): Promise<Result> {
    const { fence } = this.deps;
    let recorded: (() => void) | undefined;
    try {
      for (;;) {
        try {
          return await tryOnce();
        } catch (error) {
          if (!isDatabaseAway(error) || fence.givenUp || isInVain(error)) {
            throw error;
          }
          recorded ??= fence.outcomeWaits();
          await delay(AWAY_PAUSE_MS);
        }
      }
    } finally {
      recorded?.();
    }
  }

  /** Outcomes of a webhook that has a line join it, and do not wait for the lock here. */
  async #writeBatch(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Later)[]> {
    const isLate = ({ delivery }: FinishedAttempt) => this.hasLine(delivery.webhookId);
    const late = this.#late.isEmpty ? none : new Set(attempts.filter(isLate));
    const others = late.size === 0 ? attempts : attempts.filter((attempt) => !late.has(attempt));
    const statuses = others.length === 0 ? [] : await this.#write(others, LOCK_WAIT_MS);
    let next = 0;
    return attempts.map((attempt) => {
      const status = late.has(attempt) ? 'LOCKED' : statuses[next++]!;
      return status === 'LOCKED' ? { recorded: this.#late.record(attempt) } : status;
    });
  }

  async #write(attempts: readonly FinishedAttempt[], lockWaitMs: number): Promise<(RecordedStatus | 'LOCKED')[]> {
    const { db, config, metrics, log } = this.deps;
    const rules = { holdHours: config.holdHours, streakMsMin: config.failureStreakMsMin };
    const { statuses, disabled } = await recordAttempts(db.pool, attempts, rules, lockWaitMs);
    for (const { webhookId, tenantId, reason } of disabled) {
      metrics.disabled.count(reason);
      log.info({ webhookId, tenantId, reason }, 'a webhook was disabled');
    }
    return statuses;
  }

  /** The webhook's deliveries that were put off need not wait for their time. */
  async #wake({ tenantId, webhookId }: { tenantId: number; webhookId: number }): Promise<void> {
    const { db, log } = this.deps;
    try {
      await enqueueAlign(db.pool, tenantId, webhookId, {}, WAKE_IN_MS);
    } catch (err) {
      log.warn({ err, webhookId, tenantId }, 'deliveries that were put off come later than they could');
    }
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

/** It decides on retries, probes or the end of a streak, for which other deliveries wait. */
const changesHealth = (attempt: FinishedAttempt) => hasFailed(attempt) || attempt.delivery.failuresAtLoad > 0;

const none: ReadonlySet<FinishedAttempt> = new Set();
