import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { GroupCommit } from '../src/concurrency/group-commit.js';
import { Slots } from '../src/concurrency/slots.js';
import { lockedPutOffMs } from '../src/domain/locked-put-off.js';
import type { FinishedAttempt } from '../src/operations/attempts/finished-attempt.js';
import type { Locked, RecordedStatus } from '../src/operations/attempts/record-attempts.js';
import { LogThrottle } from '../src/telemetry/log-throttle.js';
import type { Fence } from './control/fence.js';
import { onceDatabaseAnswers } from './once-database-answers.js';

export interface LateOutcomesDeps {
  fence: Fence;
  log: Logger;
  random: () => number;
  slots: number;
  /** Records attempts, as far as it can, and waits for no lock longer than that. */
  write(attempts: readonly FinishedAttempt[], lockWaitMs: number): Promise<(RecordedStatus | Locked)[]>;
  /** Nothing keeps the webhook from being sent to any more, and deliveries of it were put off. */
  onUnlocked(webhook: { webhookId: number; tenantId: number }): void;
  onBatch: (items: number) => void;
}

/** What is known of a webhook some of whose outcomes wait for locks. */
interface Late {
  /** Outcomes that wait. */
  outcomes: number;
  /** Of these, those that wait for the row of the webhook. */
  behindWebhook: number;
  /** Since when none of them could be recorded (monotonic, ms). */
  stuckSince: number;
  line: GroupCommit<FinishedAttempt, RecordedStatus | 'DELIVERY_LOCKED'>;
  /** Whether the log says that it is locked. */
  isLogged: boolean;
  /** Whether deliveries were put off because of it. */
  hasPutOffs: boolean;
}

const BATCH_MAX = 256;
/** A batch of another daemon has its webhooks locked for less than that: who waits has its turn after it. */
const LOCK_WAIT_MS = 1_000;
/** Where somebody hangs, there is no turn to wait for. */
const LOCK_WAIT_LOCKED_MS = 100;
/** Longer than anybody has a webhook locked who does not hang. */
const LOCKED_AFTER_MS = 3_000;
const PAUSE_MS = 10;
const PAUSE_LOCKED_MS = 500;
/** Each try keeps a connection while it waits. */
const TRIES_MAX = 4;

/** Not before: a webhook with a lot of traffic has many outcomes on their way at any time. */
const CROWDED_AFTER_MS = 250;
/** Of the slots, for how many of them one webhook may have outcomes that wait: each holds a worker. */
const CROWDED_SHARE = 1 / 4;

/**
 * Outcomes that another session keeps from being recorded. Those of a webhook whose row it has locked wait in a line,
 * in the order in which they ended. Those of deliveries whose own rows are locked wait beside it.
 */
export class LateOutcomes {
  readonly #late = new Map<number, Late>();
  readonly #behindDeliveries: GroupCommit<FinishedAttempt, RecordedStatus | Locked>;
  readonly #tries = new Slots(TRIES_MAX);
  readonly #logThrottle = new LogThrottle();
  readonly #outcomesMax: number;

  constructor(private readonly deps: LateOutcomesDeps) {
    this.#outcomesMax = Math.max(1, Math.floor(deps.slots * CROWDED_SHARE));
    this.#behindDeliveries = new GroupCommit(
      (attempts: readonly FinishedAttempt[]) => this.#tryOnce(attempts, LOCK_WAIT_LOCKED_MS),
      { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: deps.onBatch },
    );
  }

  get isEmpty(): boolean {
    return this.#late.size === 0;
  }

  /** Whether outcomes wait for the row of the webhook: others of it must not overtake them. */
  has(webhookId: number): boolean {
    return (this.#late.get(webhookId)?.behindWebhook ?? 0) > 0;
  }

  /** @returns for how many ms deliveries of the webhook are to be put off; null: they may be sent */
  putOffMs(webhookId: number): number | null {
    const late = this.#late.get(webhookId);
    if (late === undefined) {
      return null;
    }
    const isLocked = late.behindWebhook > 0 && isStuck(late);
    const isCrowded = late.outcomes >= this.#outcomesMax && stuckMsOf(late) > CROWDED_AFTER_MS;
    return isLocked || isCrowded ? this.putOffLate(webhookId) : null;
  }

  /** @returns for how many ms deliveries of a webhook with late outcomes are to be put off; null: it has none */
  putOffLate(webhookId: number): number | null {
    const late = this.#late.get(webhookId);
    if (late === undefined) {
      return null;
    }
    late.hasPutOffs = true;
    return lockedPutOffMs(stuckMsOf(late), this.deps.random());
  }

  /**
   * Waits until the attempt is recorded.
   *
   * @throws Error when it cannot be, or the daemon has no more time
   */
  async record(attempt: FinishedAttempt, locked: Locked): Promise<RecordedStatus> {
    const { webhookId } = attempt.delivery;
    const late = this.#lateOf(webhookId);
    late.outcomes += 1;
    try {
      const status = locked === 'WEBHOOK_LOCKED' ? await this.#recordInLine(late, attempt) : locked;
      return status === 'DELIVERY_LOCKED' ? await this.#recordBeside(late, attempt) : status;
    } finally {
      late.outcomes -= 1;
      if (late.outcomes === 0) {
        this.#late.delete(webhookId);
      }
    }
  }

  #lateOf(webhookId: number): Late {
    const known = this.#late.get(webhookId);
    if (known !== undefined) {
      return known;
    }
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeInLine(late, attempts);
    const late: Late = {
      outcomes: 0,
      behindWebhook: 0,
      stuckSince: performance.now(),
      line: new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: this.deps.onBatch }),
      isLogged: false,
      hasPutOffs: false,
    };
    this.#late.set(webhookId, late);
    return late;
  }

  async #recordInLine(late: Late, attempt: FinishedAttempt): Promise<RecordedStatus | 'DELIVERY_LOCKED'> {
    late.behindWebhook += 1;
    try {
      return await late.line.runOne(attempt);
    } finally {
      late.behindWebhook -= 1;
    }
  }

  /** Tries until the row of the webhook is free. */
  async #writeInLine(
    late: Late,
    attempts: readonly FinishedAttempt[],
  ): Promise<(RecordedStatus | 'DELIVERY_LOCKED')[]> {
    return await this.#untilTaken(
      () => this.#tryOnce(attempts, isStuck(late) ? LOCK_WAIT_LOCKED_MS : LOCK_WAIT_MS),
      async (statuses) => {
        const written = statuses.filter((status) => status !== 'WEBHOOK_LOCKED');
        if (written.length === statuses.length) {
          this.#progress(late, attempts[0]!);
          return written;
        }
        this.#logLocked(late, attempts[0]!);
        await delay(isStuck(late) ? PAUSE_LOCKED_MS : PAUSE_MS);
        return null;
      },
    );
  }

  /** Others of the webhook are recorded meanwhile: only those whose own rows are locked wait. */
  async #recordBeside(late: Late, attempt: FinishedAttempt): Promise<RecordedStatus> {
    const [recorded] = await this.#untilTaken(
      async () => [await this.#behindDeliveries.runOne(attempt)],
      async ([status]) => {
        if (status !== 'WEBHOOK_LOCKED' && status !== 'DELIVERY_LOCKED') {
          this.#progress(late, attempt);
          return [status!];
        }
        this.#logDeliveryLocked(late, attempt);
        await delay(PAUSE_LOCKED_MS);
        return null;
      },
    );
    return recorded!;
  }

  /**
   * Tries until `read` takes the answer.
   *
   * @throws Error when the daemon has no more time
   */
  async #untilTaken<Result>(
    tryOnce: () => Promise<(RecordedStatus | Locked)[]>,
    read: (statuses: (RecordedStatus | Locked)[]) => Promise<Result | null>,
  ): Promise<Result> {
    const { fence } = this.deps;
    while (!fence.lettingGo) {
      const result = await read(await onceDatabaseAnswers(fence, tryOnce));
      if (result !== null) {
        return result;
      }
    }
    throw new Error('A row that the outcome belongs to is locked by another session.');
  }

  #tryOnce(attempts: readonly FinishedAttempt[], lockWaitMs: number): Promise<(RecordedStatus | Locked)[]> {
    return this.#tries.run(() => this.deps.write(attempts, lockWaitMs));
  }

  #progress(late: Late, { delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    late.stuckSince = performance.now();
    late.isLogged = false;
    if (late.hasPutOffs) {
      late.hasPutOffs = false;
      this.deps.onUnlocked({ webhookId, tenantId });
    }
  }

  #logLocked(late: Late, { delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    if (isStuck(late) && !late.isLogged) {
      late.isLogged = true;
      this.deps.log.warn(
        { webhookId, tenantId },
        'another session has the row of a webhook locked: its outcomes wait, and nothing is sent to it',
      );
    }
  }

  #logDeliveryLocked(late: Late, { delivery }: FinishedAttempt): void {
    const { id: deliveryId, webhookId, tenantId } = delivery;
    const message = 'another session has the row of a delivery locked: its outcome waits';
    if (isStuck(late) && this.#logThrottle.take(message)) {
      this.deps.log.warn({ deliveryId, webhookId, tenantId }, message);
    }
  }
}

const stuckMsOf = ({ stuckSince }: Late) => performance.now() - stuckSince;
const isStuck = (late: Late) => stuckMsOf(late) > LOCKED_AFTER_MS;
