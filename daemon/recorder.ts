import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { GroupCommit } from '../src/concurrency/group-commit.js';
import { Slots } from '../src/concurrency/slots.js';
import type { Config } from '../src/config.js';
import type { Database } from '../src/database/database.js';
import { isDatabaseAway } from '../src/errors.js';
import type { FinishedAttempt } from '../src/operations/attempts/finished-attempt.js';
import { type RecordedStatus, recordAttempts } from '../src/operations/attempts/record-attempts.js';
import type { Fence } from './control/fence.js';
import type { DaemonMetrics } from './telemetry/metrics.js';

export interface RecorderDeps {
  config: Pick<Config, 'holdHours'>;
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
const RECORD_PAUSE_MS = 500;

/** Writes what came of attempts, together with those of others that ended meanwhile. */
export class Recorder {
  /**
   * How many outcomes may wait to be written. Each takes a place before its `record`, which gives it back, so that no
   * more requests are made than can be recorded.
   */
  readonly room: Slots;
  readonly #records: GroupCommit<FinishedAttempt, RecordedStatus | 'LOCKED'>;
  /** Of webhooks that others have locked: each batch waits for the lock for a while, and no one else shall. */
  readonly #lateRecords: GroupCommit<FinishedAttempt, RecordedStatus | 'LOCKED'>;
  /** Of each webhook that others have locked, how many outcomes wait for it. */
  readonly #late = new Map<number, number>();

  constructor(private readonly deps: RecorderDeps) {
    this.room = new Slots(deps.slots * BATCHES_HELD);
    // One batch at a time: two would only wait for each other, on the rows of the webhooks that they share.
    const newLine = () =>
      new GroupCommit((attempts: readonly FinishedAttempt[]) => this.#write(attempts), {
        itemsMax: BATCH_MAX,
        inFlightMax: 1,
        onBatch: deps.metrics.batch('record'),
      });
    this.#records = newLine();
    this.#lateRecords = newLine();
  }

  /** Whether nothing can be recorded of a webhook, because another session has its row locked: nothing may be sent. */
  isLocked(webhookId: number): boolean {
    return this.#late.has(webhookId);
  }

  /**
   * The request has been made: losing its outcome would repeat it, so a database that is away is waited for, until
   * the daemon has no more time to end, and meanwhile nothing else is sent.
   *
   * @returns the state that the delivery has now; null when the attempt was recorded before, or by nobody
   */
  async record(attempt: FinishedAttempt): Promise<RecordedStatus> {
    const { fence } = this.deps;
    let waiting: (() => void) | undefined;
    let isLate = false;
    try {
      for (;;) {
        try {
          const line = this.isLocked(attempt.delivery.webhookId) ? this.#lateRecords : this.#records;
          const status = await line.runOne(attempt);
          if (status !== 'LOCKED') {
            this.#logAttempt(attempt, status !== null);
            return status;
          }
          if (!isLate) {
            isLate = true;
            this.#beginLate(attempt);
          }
        } catch (error) {
          waiting ??= fence.outcomeWaits();
          if (!isDatabaseAway(error) || fence.lettingGo) {
            throw error;
          }
        }
        if (fence.lettingGo) {
          throw new Error('The row of the webhook is locked by another session.');
        }
        await delay(RECORD_PAUSE_MS);
      }
    } finally {
      if (isLate) {
        this.#endLate(attempt);
      }
      waiting?.();
      this.room.give();
    }
  }

  #beginLate({ delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    const others = this.#late.get(webhookId) ?? 0;
    this.#late.set(webhookId, others + 1);
    if (others === 0) {
      this.deps.log.warn(
        { webhookId, tenantId },
        'another session has the row of a webhook locked: its outcomes wait, and nothing is sent to it',
      );
    }
  }

  /** It was recorded, or given up: what no outcome waits for is not taken for locked. */
  #endLate({ delivery: { webhookId } }: FinishedAttempt): void {
    const others = this.#late.get(webhookId)! - 1;
    if (others > 0) {
      this.#late.set(webhookId, others);
    } else {
      this.#late.delete(webhookId);
    }
  }

  async #write(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | 'LOCKED')[]> {
    const { db, config, metrics, log } = this.deps;
    const { statuses, disabled } = await recordAttempts(db.pool, attempts, config.holdHours);
    for (const { webhookId, tenantId, reason } of disabled) {
      metrics.disabled(reason);
      log.info({ webhookId, tenantId, reason }, 'a webhook was disabled');
    }
    return statuses;
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
