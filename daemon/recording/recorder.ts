import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Slots } from '../../src/concurrency/slots.js';
import type { Database } from '../../src/database/database.js';
import { isTooSlow } from '../../src/database/driver/sql-state.js';
import { GroupCommit } from '../../src/database/group-commit.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import { type Locked, type RecordedStatus, recordAttempts } from '../../src/operations/attempts/record-attempts.js';
import { enqueueAlign } from '../../src/operations/jobs/enqueue.js';
import type { Config } from '../../src/settings/config.js';
import type { Pass } from '../gate/gate.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import { LateOutcomes } from './late-outcomes.js';
import { onceDatabaseAnswers } from './once-database-answers.js';
import { type Holder, Holdings } from './worker-shares.js';

interface RecorderDeps {
  config: Pick<Config, 'holdHours' | 'failingRowMsMin'>;
  db: Pick<Database, 'pool'>;
  fence: Fence;
  log: Logger;
  metrics: DaemonMetrics;
  /** How many requests may be in flight at the same time. */
  slots: number;
}

const BATCH_MAX = 256;
/** Of outcomes, for each slot: while one batch is being written, as many wait for the next. */
const BATCHES_HELD = 2;
/** Everybody waits for a lock that the main line waits for. */
const LOCK_WAIT_MS = 100;
/** What was put off in the last moment is woken too. */
const WAKE_IN_MS = 1_000;
const LOOK_AGAIN_MS = 10;
const BEGIN_WAIT_MS_MAX = 500;
const BEGIN_PUT_OFF_MS = 1_000;

/** An attempt that another session keeps from being recorded now. */
interface Later {
  recorded: Promise<RecordedStatus>;
}

/** Writes what came of attempts, together with those of others that ended meanwhile. */
export class Recorder {
  /**
   * How many outcomes may wait to be written. Each takes a place before its `record`, which gives it back, so that no
   * more requests are made than can be recorded.
   */
  readonly room: Slots;
  readonly #holdings: Holdings;
  readonly #records: GroupCommit<FinishedAttempt, RecordedStatus | Later>;
  readonly #late: LateOutcomes;

  constructor(private readonly deps: RecorderDeps) {
    const onBatch = deps.metrics.batch('record');
    this.room = new Slots(deps.slots * BATCHES_HELD);
    this.#holdings = new Holdings(deps.slots);
    this.#late = new LateOutcomes({
      ...deps,
      onBatch,
      random: Math.random,
      write: (attempts, lockWaitMs) => this.#write(attempts, lockWaitMs),
      onUnlocked: (webhook) => void this.#wake(webhook),
    });
    // One batch at a time: two would only wait for each other, on the rows of the webhooks that they share.
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeOnceAnswered(attempts);
    this.#records = new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch });
  }

  /** Whether outcomes wait in line for the row of the webhook, which another session has, or had a moment ago. */
  hasLine(webhookId: number): boolean {
    return this.#late.hasLine(webhookId);
  }

  /** @returns for how many ms the webhook's deliveries are to be put off; null: it may be sent to */
  putOffMs(webhookId: number): number | null {
    return this.#late.isEmpty ? null : this.#late.putOffMs(webhookId);
  }

  /** @returns whether the attempt may begin; `record` or `end` follows then */
  tryBegin(holder: Holder): boolean {
    return this.#holdings.tryTake(holder);
  }

  /**
   * Waits for a moment while the webhook has nearly all workers, until one of them is done.
   *
   * @param pass left when the attempt may not begin
   * @returns as `putOffMs`; when it is null, `record` or `end` follows
   * @throws SendingStopped when outcomes cannot be recorded: what was loaded before is old news then
   */
  async begin(holder: Holder, pass: Pass): Promise<number | null> {
    const endAt = performance.now() + BEGIN_WAIT_MS_MAX;
    while (!this.#holdings.tryTake(holder)) {
      if (this.deps.fence.closed) {
        pass.leave();
        throw new SendingStopped('The request was not sent: outcomes cannot be recorded at the moment.');
      }
      const putOffMs = this.#late.putOffMs(holder.webhookId);
      if (putOffMs !== null || performance.now() >= endAt) {
        pass.leave();
        return putOffMs ?? BEGIN_PUT_OFF_MS;
      }
      await delay(LOOK_AGAIN_MS);
    }
    return null;
  }

  /** Of an attempt that has no outcome. */
  end(holder: Holder): void {
    this.#holdings.give(holder);
  }

  /**
   * The request has been made: losing its outcome would repeat it, so a database that is away is waited for, until
   * the daemon has no more time to end, and meanwhile nothing else is sent.
   *
   * @returns the state that the delivery has now; null when the attempt was recorded before, or by nobody
   */
  async record(attempt: FinishedAttempt, holder: Holder): Promise<RecordedStatus> {
    try {
      const answer = await this.#records.runOne(attempt).finally(() => this.room.give());
      const status = answer !== null && typeof answer === 'object' ? await answer.recorded : answer;
      this.#logAttempt(attempt, status !== null);
      return status;
    } finally {
      this.#holdings.give(holder);
    }
  }

  /**
   * While the database is away the batch is kept, and what ended later waits behind it: nothing overtakes. One that
   * takes longer than a statement may would do so again, with all other outcomes behind it: its halves take less.
   */
  async #writeOnceAnswered(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Later)[]> {
    const isTooMuch = (error: unknown) => attempts.length > 1 && isTooSlow(error);
    try {
      return await onceDatabaseAnswers(this.deps.fence, () => this.#writeBatch(attempts), isTooMuch);
    } catch (error) {
      if (!isTooMuch(error)) {
        throw error;
      }
      if (this.deps.fence.lettingGo) {
        // As it is, it would have them tried one by one, for which there is no time.
        throw new Error('Outcomes could not be recorded before the end.', { cause: error });
      }
    }
    const half = Math.ceil(attempts.length / 2);
    const first = await this.#writeOnceAnswered(attempts.slice(0, half));
    return [...first, ...(await this.#writeOnceAnswered(attempts.slice(half)))];
  }

  /** What belongs to a webhook whose outcomes wait for its row joins them: nothing overtakes, or waits for the lock. */
  async #writeBatch(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Later)[]> {
    const isLate = ({ delivery }: FinishedAttempt) => this.hasLine(delivery.webhookId);
    const late = this.#late.isEmpty ? none : new Set(attempts.filter(isLate));
    const others = late.size === 0 ? attempts : attempts.filter((attempt) => !late.has(attempt));
    const statuses = others.length === 0 ? [] : await this.#write(others, LOCK_WAIT_MS);
    let next = 0;
    return attempts.map((attempt) => {
      const status = late.has(attempt) ? 'WEBHOOK_LOCKED' : statuses[next++]!;
      return status === 'WEBHOOK_LOCKED' || status === 'DELIVERY_LOCKED'
        ? { recorded: this.#late.record(attempt, status) }
        : status;
    });
  }

  async #write(attempts: readonly FinishedAttempt[], lockWaitMs: number): Promise<(RecordedStatus | Locked)[]> {
    const { db, config, metrics, log } = this.deps;
    const rules = { holdHours: config.holdHours, rowMsMin: config.failingRowMsMin };
    const { statuses, disabled } = await recordAttempts(db.pool, attempts, rules, lockWaitMs);
    for (const { webhookId, tenantId, reason } of disabled) {
      metrics.disabled(reason);
      log.info({ webhookId, tenantId, reason }, 'a webhook was disabled');
    }
    return statuses;
  }

  /** Its deliveries that were put off need not wait for their time. */
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

const none: ReadonlySet<FinishedAttempt> = new Set();
