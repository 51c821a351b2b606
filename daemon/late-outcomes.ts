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
  /** Outcomes that wait, and since when none of them could be recorded (monotonic, ms). */
  outcomes: number;
  since: number;
  /** Of these, those that wait in line for the row of the webhook, and since when none of them could be recorded. */
  inLine: number;
  inLineSince: number;
  line: GroupCommit<FinishedAttempt, RecordedStatus | 'DELIVERY_LOCKED'>;
  /** Whether the log says that it is locked. */
  isLogged: boolean;
  /** Whether deliveries were put off because of it. */
  hasPutOffs: boolean;
}

const BATCH_MAX = 256;
/** A batch of another daemon has its webhooks locked for less than that: who waits has its turn after it. */
const LOCK_WAIT_MS = 1_000;
/** Where somebody hangs, there is no turn to wait for; and where others want to try, no time. */
const LOCK_WAIT_TOGETHER_MS = 100;
/** Longer than anybody has a webhook locked who does not hang. */
const LOCKED_AFTER_MS = 3_000;
const PAUSE_MS = 10;
const PAUSE_LOCKED_MS = 500;
/** Each try alone keeps a connection while it waits. */
const TRIES_MAX = 3;

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
  readonly #together: GroupCommit<FinishedAttempt, RecordedStatus | Locked>;
  readonly #tries = new Slots(TRIES_MAX);
  readonly #logThrottle = new LogThrottle();
  readonly #outcomesMax: number;

  constructor(private readonly deps: LateOutcomesDeps) {
    this.#outcomesMax = Math.max(1, Math.floor(deps.slots * CROWDED_SHARE));
    this.#together = new GroupCommit(
      (attempts: readonly FinishedAttempt[]) => deps.write(attempts, LOCK_WAIT_TOGETHER_MS),
      { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: deps.onBatch },
    );
  }

  get isEmpty(): boolean {
    return this.#late.size === 0;
  }

  /** Whether outcomes wait for the row of the webhook: others of it must not overtake them. */
  has(webhookId: number): boolean {
    return (this.#late.get(webhookId)?.inLine ?? 0) > 0;
  }

  /** @returns for how many ms deliveries of the webhook are to be put off; null: they may be sent */
  putOffMs(webhookId: number): number | null {
    const late = this.#late.get(webhookId);
    const waitingMs = late === undefined ? null : this.#hinderedMs(late);
    if (late === undefined || waitingMs === null) {
      return null;
    }
    late.hasPutOffs = true;
    return lockedPutOffMs(waitingMs, this.deps.random());
  }

  /** For how long outcomes have waited because of which nothing is sent to the webhook; null: there are none such. */
  #hinderedMs(late: Late): number | null {
    if (isLocked(late)) {
      return msSince(late.inLineSince);
    }
    const waitingMs = msSince(late.since);
    return late.outcomes >= this.#outcomesMax && waitingMs > CROWDED_AFTER_MS ? waitingMs : null;
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
        this.#wakePutOffs(late, attempt);
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
      since: performance.now(),
      inLine: 0,
      inLineSince: 0,
      line: new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: this.deps.onBatch }),
      isLogged: false,
      hasPutOffs: false,
    };
    this.#late.set(webhookId, late);
    return late;
  }

  async #recordInLine(late: Late, attempt: FinishedAttempt): Promise<RecordedStatus | 'DELIVERY_LOCKED'> {
    if (late.inLine === 0) {
      late.inLineSince = performance.now();
    }
    late.inLine += 1;
    try {
      return await late.line.runOne(attempt);
    } finally {
      late.inLine -= 1;
    }
  }

  /** Tries until the row of the webhook is free. */
  async #writeInLine(
    late: Late,
    attempts: readonly FinishedAttempt[],
  ): Promise<(RecordedStatus | 'DELIVERY_LOCKED')[]> {
    return await this.#untilTaken(
      () => this.#tryInLine(late, attempts),
      async (statuses) => {
        const written = statuses.filter((status) => status !== 'WEBHOOK_LOCKED');
        if (written.length === statuses.length) {
          late.inLineSince = performance.now();
          late.isLogged = false;
          this.#progress(late, attempts[0]!);
          return written;
        }
        this.#logLocked(late, attempts[0]!);
        await delay(isLocked(late) ? PAUSE_LOCKED_MS : PAUSE_MS);
        return null;
      },
    );
  }

  /**
   * Alone, until it is known that somebody hangs: it has its turn after others who have the row for a moment. A webhook
   * on which somebody hangs is tried together with others: hundreds of them would keep each other waiting.
   */
  async #tryInLine(late: Late, attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Locked)[]> {
    const tryAlone = async () => {
      const lockWaitMs = this.#tries.waitingCount > 0 ? LOCK_WAIT_TOGETHER_MS : LOCK_WAIT_MS;
      return isLocked(late) ? null : await this.deps.write(attempts, lockWaitMs);
    };
    const statuses = isLocked(late) ? null : await this.#tries.run(tryAlone);
    return statuses ?? (await this.#together.run(attempts));
  }

  /** Others of the webhook are recorded meanwhile: only those whose own rows are locked wait. */
  async #recordBeside(late: Late, attempt: FinishedAttempt): Promise<RecordedStatus> {
    const [recorded] = await this.#untilTaken(
      async () => [await this.#together.runOne(attempt)],
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

  #progress(late: Late, attempt: FinishedAttempt): void {
    late.since = performance.now();
    this.#wakePutOffs(late, attempt);
  }

  #wakePutOffs(late: Late, { delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    if (late.hasPutOffs) {
      late.hasPutOffs = false;
      this.deps.onUnlocked({ webhookId, tenantId });
    }
  }

  #logLocked(late: Late, { delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    if (isLocked(late) && !late.isLogged) {
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
    if (msSince(late.since) > LOCKED_AFTER_MS && this.#logThrottle.take(message)) {
      this.deps.log.warn({ deliveryId, webhookId, tenantId }, message);
    }
  }
}

const msSince = (at: number) => performance.now() - at;
/** Whether somebody hangs on the row of the webhook. */
const isLocked = ({ inLine, inLineSince }: Late) => inLine > 0 && msSince(inLineSince) > LOCKED_AFTER_MS;
