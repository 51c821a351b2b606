import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { RecordedStatus } from '../../src/operations/attempts/record-attempts.js';
import { LogThrottle } from '../../src/platform/concurrency/log-throttle.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import type { NotNow } from '../gate/not-now.js';
import type { Fence } from '../liveness/fence.js';

interface LateOutcomesDeps {
  fence: Fence;
  log: Logger;
  slots: number;
  /** Records the attempts whose rows are free. */
  write(attempts: readonly FinishedAttempt[], lockWaitMs: number): Promise<(RecordedStatus | 'LOCKED')[]>;
  /** Called when deliveries of the webhook were put off and it may be sent to again. */
  onUnlocked(webhook: { webhookId: number; tenantId: number }): void;
  onBatch: (items: number) => void;
}

/** The outcomes of one webhook that wait for a lock. */
interface Line {
  /** Records them in the order in which they ended. */
  readonly outcomes: GroupCommit<FinishedAttempt, RecordedStatus>;
  size: number;
  /** Since when none of them could be recorded (monotonic, ms). */
  sinceMs: number;
  /** Whether deliveries of the webhook were put off meanwhile. */
  hasPutOffs: boolean;
}

const BATCH_MAX = 256;
/** A lock that lasts longer is not a commit of another daemon. */
const STUCK_AFTER_MS = 4_000;
/** A webhook with outcomes waiting for this share of the slots counts as stuck sooner: each occupies a worker. */
const LONG_LINE_SHARE = 1 / 4;
const LONG_STUCK_AFTER_MS = 250;
/** Longer than a commit of another daemon takes: Postgres grants the locks in the order of the requests. */
const LOCK_WAIT_MS = 1_000;
const LOCK_WAIT_STUCK_MS = 100;
const LOCK_WAIT_APART_MS = 10;
const PAUSE_MS = 10;
const PAUSE_STUCK_MS = 500;
const PUT_OFF_MS_MIN = 1_000;
const PUT_OFF_MS_MAX = 60_000;

/**
 * Keeps the outcomes that cannot be recorded because another session has locked a row that they need, such as an
 * administrator in an open transaction. The outcomes of a webhook wait in one line, those of other webhooks go on.
 */
export class LateOutcomes {
  readonly #lines = new Map<number, Line>();
  readonly #writes: GroupCommit<FinishedAttempt, RecordedStatus | 'LOCKED'>;
  readonly #logThrottle = new LogThrottle();

  constructor(private readonly deps: LateOutcomesDeps) {
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeTogether(attempts);
    this.#writes = new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: deps.onBatch });
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Whether outcomes of the webhook wait: later ones of it must not overtake them. */
  hasLine(webhookId: number): boolean {
    return this.#lines.has(webhookId);
  }

  /**
   * Deliveries of a webhook that stays locked are put off for as long as it has been locked, and up to half as long
   * again: the delay doubles each time, and thousands of deliveries do not come back at once.
   *
   * @returns null: the webhook may be sent to
   */
  notNow(webhookId: number): NotNow | null {
    const line = this.#lines.get(webhookId);
    if (line === undefined) {
      return null;
    }
    const lockedMs = performance.now() - line.sinceMs;
    const isLong = line.size >= this.deps.slots * LONG_LINE_SHARE;
    if (lockedMs <= (isLong ? LONG_STUCK_AFTER_MS : STUCK_AFTER_MS)) {
      return null;
    }
    line.hasPutOffs = true;
    return { putOffMs: Math.min(PUT_OFF_MS_MAX, Math.max(PUT_OFF_MS_MIN, lockedMs)) * (1 + Math.random() / 2) };
  }

  /** @throws Error when the attempt cannot be recorded, or the daemon has no more time */
  async record(attempt: FinishedAttempt): Promise<RecordedStatus> {
    const { webhookId } = attempt.delivery;
    const line = this.#lines.get(webhookId) ?? this.#newLine(webhookId);
    line.size += 1;
    try {
      return await line.outcomes.runOne(attempt);
    } finally {
      line.size -= 1;
      if (line.size === 0) {
        this.#lines.delete(webhookId);
      }
    }
  }

  #newLine(webhookId: number): Line {
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeUnlocked(line, attempts);
    const outcomes = new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1 });
    const line: Line = { outcomes, size: 0, sinceMs: performance.now(), hasPutOffs: false };
    this.#lines.set(webhookId, line);
    return line;
  }

  async #writeUnlocked(line: Line, attempts: readonly FinishedAttempt[]): Promise<RecordedStatus[]> {
    const { webhookId, tenantId } = attempts[0]!.delivery;
    while (!this.deps.fence.givenUp) {
      const statuses = (await this.#writes.run(attempts)).filter((status) => status !== 'LOCKED');
      if (statuses.length === attempts.length) {
        line.sinceMs = performance.now();
        if (line.hasPutOffs) {
          line.hasPutOffs = false;
          this.deps.onUnlocked({ webhookId, tenantId });
        }
        return statuses;
      }
      const isStuck = performance.now() - line.sinceMs > STUCK_AFTER_MS;
      const message = 'another session has rows of a webhook locked: its outcomes wait, and nothing is sent to it';
      if (isStuck && this.#logThrottle.take(message)) {
        this.deps.log.warn({ webhookId, tenantId }, message);
      }
      await delay(isStuck ? PAUSE_STUCK_MS : PAUSE_MS);
    }
    throw new Error('A row that the outcome belongs to is locked by another session.');
  }

  /**
   * Where a lock lasts and nothing could be recorded together, it may be on a row other than a webhook's, such as a
   * delivery's or one of the statistics: then each webhook is tried by itself.
   */
  async #writeTogether(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | 'LOCKED')[]> {
    const { write } = this.deps;
    const isStuck = attempts.some(({ endedAtMs }) => performance.now() - endedAtMs > STUCK_AFTER_MS);
    const statuses = await write(attempts, isStuck ? LOCK_WAIT_STUCK_MS : LOCK_WAIT_MS);
    if (!isStuck || statuses.some((status) => status !== 'LOCKED')) {
      return statuses;
    }
    const byWebhook = Map.groupBy(attempts, ({ delivery }) => delivery.webhookId);
    const statusOf = new Map<FinishedAttempt, RecordedStatus | 'LOCKED'>();
    for (const ofOne of byWebhook.values()) {
      const written = await write(ofOne, LOCK_WAIT_APART_MS);
      ofOne.forEach((attempt, index) => void statusOf.set(attempt, written[index]!));
    }
    return attempts.map((attempt) => statusOf.get(attempt)!);
  }
}
