import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import { type RecordedStatus, recordAttempts } from '../../src/operations/attempts/record-attempts.js';
import { noteUnknownOutcomes } from '../../src/operations/installation/note-failover.js';
import type { WakesHere } from '../../src/operations/ordering/turns.js';
import { LogThrottle } from '../../src/platform/concurrency/log-throttle.js';
import type { Database } from '../../src/platform/database/database.js';
import { Primary } from '../../src/platform/database/driver/primary.js';
import { isLocked, isTooSlow } from '../../src/platform/database/driver/sql-state.js';
import { isDatabaseAway } from '../../src/platform/database/outage.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Fence } from '../liveness/fence.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

export interface OutcomeWriterDeps {
  config: Pick<Config, 'holdHours' | 'failureStreakMsMin'>;
  db: Pick<Database, 'pool' | 'url'>;
  fence: Pick<Fence, 'givenUp' | 'outcomeWaits'>;
  log: Logger;
  metrics: Pick<DaemonMetrics, 'disabled' | 'unknownOutcomes'>;
  /** The room of this process for the next ones of keys (`Claims`); default: they go to any process. */
  wakesHere?: () => WakesHere | null;
}

const AWAY_PAUSE_MS = 500;
const IDS_LOGGED_MAX = 20;
const logThrottle = new LogThrottle();

/**
 * Writes outcomes. Losing one would repeat its request, so a database that is away is waited for, until the daemon has
 * no more time to end, and meanwhile nothing else is sent.
 */
export class OutcomeWriter {
  /** @param lockWaitMs how long a lock is waited for */
  constructor(
    private readonly deps: OutcomeWriterDeps,
    private readonly lockWaitMs: number,
  ) {}

  /**
   * A batch that takes longer than a statement may would do so again: its halves take less.
   *
   * @returns per attempt
   * @throws Error with LOCK_NOT_AVAILABLE, when another session has locked a row that one of them needs
   */
  async write(attempts: readonly FinishedAttempt[]): Promise<RecordedStatus[]> {
    try {
      return await this.#onceDatabaseAnswers(attempts);
    } catch (error) {
      if (!isTooMuch(attempts, error)) {
        throw error;
      }
      if (this.deps.fence.givenUp) {
        // GroupCommit would try the attempts one by one after the original error, for which there is no time.
        throw new Error('Outcomes could not be recorded before the end.', { cause: error });
      }
    }
    const half = Math.ceil(attempts.length / 2);
    const first = await this.write(attempts.slice(0, half));
    return [...first, ...(await this.write(attempts.slice(half)))];
  }

  async #onceDatabaseAnswers(attempts: readonly FinishedAttempt[]): Promise<RecordedStatus[]> {
    const { fence } = this.deps;
    let recorded: (() => void) | undefined;
    try {
      for (;;) {
        try {
          return await this.#writeOnce(attempts);
        } catch (error) {
          if (!isDatabaseAway(error) || isLocked(error) || isTooMuch(attempts, error) || fence.givenUp) {
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

  async #writeOnce(attempts: readonly FinishedAttempt[]): Promise<RecordedStatus[]> {
    const { db, config, metrics, log } = this.deps;
    const rules = { holdHours: config.holdHours, streakMsMin: config.failureStreakMsMin };
    const here = this.deps.wakesHere?.() ?? null;
    const { statuses, disabled } = await recordAttempts(db.pool, attempts, rules, this.lockWaitMs, here);
    for (const { webhookId, tenantId, reason } of disabled) {
      metrics.disabled.count(reason);
      log.info({ webhookId, tenantId, reason }, 'a webhook was disabled');
    }
    const unrecorded = attempts.filter((_, index) => statuses[index] === null);
    if (unrecorded.length > 0) {
      await this.#noteUnknown(unrecorded).catch(() => {}); // the others are recorded, and must not be written again
    }
    return statuses;
  }

  /** Drops the outcomes of deliveries that a failover has lost. Those that were recorded before are ordinary. */
  async #noteUnknown(attempts: readonly FinishedAttempt[]): Promise<void> {
    const { db, metrics, log } = this.deps;
    const ids = attempts.map(({ delivery }) => delivery.id);
    const gone = await noteUnknownOutcomes(db.pool, ids, Primary.of(db.url).timeline);
    metrics.unknownOutcomes.inc(gone.length);
    const message = 'outcomes were dropped: their deliveries are not in the tables';
    if (gone.length > 0 && logThrottle.take(message)) {
      log.warn({ outcomes: gone.length, deliveryIds: gone.slice(0, IDS_LOGGED_MAX) }, message);
    }
  }
}

const isTooMuch = (attempts: readonly FinishedAttempt[], error: unknown) => attempts.length > 1 && isTooSlow(error);
