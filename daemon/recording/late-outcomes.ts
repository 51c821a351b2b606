import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LogThrottle } from '../../src/concurrency/log-throttle.js';
import { Slots } from '../../src/concurrency/slots.js';
import { GroupCommit } from '../../src/database/group-commit.js';
import { lockedPutOffMs } from '../../src/domain/pacing/locked-put-off.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { Locked, RecordedStatus } from '../../src/operations/attempts/record-attempts.js';
import type { Fence } from '../liveness/fence.js';
import { LateWebhook } from './late-webhook.js';
import { onceDatabaseAnswers } from './once-database-answers.js';

interface LateOutcomesDeps {
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

const BATCH_MAX = 256;
/** A batch of another daemon has its webhooks locked for less than that: who waits has its turn after it. */
const LOCK_WAIT_MS = 1_000;
/** Where somebody hangs, there is no turn to wait for; and where others want to try, no time. */
const LOCK_WAIT_TOGETHER_MS = 100;
/** For each of hundreds of webhooks, one after the other. */
const LOCK_WAIT_APART_MS = 10;
const PAUSE_MS = 10;
const PAUSE_LOCKED_MS = 500;
/** Each try alone keeps a connection while it waits. */
const TRIES_MAX = 3;

/** Of the slots, for how many of them one webhook may have outcomes that wait: each holds a worker. */
const CROWDED_SHARE = 1 / 4;

/**
 * Outcomes that another session keeps from being recorded. Those of a webhook whose row it has locked wait in a line,
 * in the order in which they ended. Those of deliveries whose own rows are locked wait beside it.
 */
export class LateOutcomes {
  readonly #late = new Map<number, LateWebhook>();
  readonly #together: GroupCommit<FinishedAttempt, RecordedStatus | Locked>;
  readonly #tries = new Slots(TRIES_MAX);
  readonly #logThrottle = new LogThrottle();
  readonly #outcomesMax: number;

  constructor(private readonly deps: LateOutcomesDeps) {
    this.#outcomesMax = Math.max(1, Math.floor(deps.slots * CROWDED_SHARE));
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeTogether(attempts);
    this.#together = new GroupCommit(write, { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: deps.onBatch });
  }

  get isEmpty(): boolean {
    return this.#late.size === 0;
  }

  /** Whether outcomes wait in line for the row of the webhook: others of it must not overtake them. */
  hasLine(webhookId: number): boolean {
    return this.#late.get(webhookId)?.hasLine ?? false;
  }

  /** @returns for how many ms deliveries of the webhook are to be put off; null: they may be sent */
  putOffMs(webhookId: number): number | null {
    const late = this.#late.get(webhookId);
    const hinderedMs = late?.hinderedMs(this.#outcomesMax) ?? null;
    if (late === undefined || hinderedMs === null) {
      return null;
    }
    late.hasPutOffs = true;
    return lockedPutOffMs(hinderedMs, this.deps.random());
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
      const status = locked === 'WEBHOOK_LOCKED' ? await late.runInLine(attempt) : locked;
      return status === 'DELIVERY_LOCKED' ? await this.#recordBeside(late, attempt) : status;
    } finally {
      late.outcomes -= 1;
      if (late.outcomes === 0) {
        this.#late.delete(webhookId);
        this.#wakePutOffs(late, attempt);
      }
    }
  }

  #lateOf(webhookId: number): LateWebhook {
    const known = this.#late.get(webhookId);
    if (known !== undefined) {
      return known;
    }
    const write = (attempts: readonly FinishedAttempt[]) => this.#writeInLine(late, attempts);
    const options = { itemsMax: BATCH_MAX, inFlightMax: 1, onBatch: this.deps.onBatch };
    const late = new LateWebhook(new GroupCommit(write, options));
    this.#late.set(webhookId, late);
    return late;
  }

  /** Tries until the row of the webhook is free. */
  async #writeInLine(
    late: LateWebhook,
    attempts: readonly FinishedAttempt[],
  ): Promise<(RecordedStatus | 'DELIVERY_LOCKED')[]> {
    return await this.#untilTaken(
      () => this.#tryInLine(late, attempts),
      async (statuses) => {
        const answers = statuses.filter((status) => status !== 'WEBHOOK_LOCKED');
        if (answers.length === statuses.length) {
          late.lineMoved();
          if (answers.some((status) => status !== 'DELIVERY_LOCKED')) {
            late.moved();
          }
          this.#wakePutOffs(late, attempts[0]!);
          return answers;
        }
        this.#logLocked(late, attempts[0]!);
        await delay(late.isLineStuck ? PAUSE_LOCKED_MS : PAUSE_MS);
        return null;
      },
    );
  }

  /**
   * Alone, until it is known that somebody hangs: it has its turn after others who have the row for a moment. A webhook
   * on which somebody hangs is tried together with others: hundreds of them would keep each other waiting.
   */
  async #tryInLine(late: LateWebhook, attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Locked)[]> {
    const tryAlone = async () => {
      const lockWaitMs = this.#tries.waitingCount > 0 ? LOCK_WAIT_TOGETHER_MS : LOCK_WAIT_MS;
      return late.isLineStuck ? null : await this.deps.write(attempts, lockWaitMs);
    };
    const statuses = late.isLineStuck ? null : await this.#tries.run(tryAlone);
    return statuses ?? (await this.#together.run(attempts));
  }

  /** Where none could be recorded, the lock may be on something that one of them needs, such as a row of statistics. */
  async #writeTogether(attempts: readonly FinishedAttempt[]): Promise<(RecordedStatus | Locked)[]> {
    const statuses = await this.deps.write(attempts, LOCK_WAIT_TOGETHER_MS);
    const byWebhook = Map.groupBy(attempts, ({ delivery }) => delivery.webhookId);
    if (byWebhook.size === 1 || statuses.some((status) => status !== 'WEBHOOK_LOCKED')) {
      return statuses;
    }
    const statusOf = new Map<FinishedAttempt, RecordedStatus | Locked>();
    for (const ofOne of byWebhook.values()) {
      const written = await this.deps.write(ofOne, LOCK_WAIT_APART_MS);
      ofOne.forEach((attempt, index) => {
        statusOf.set(attempt, written[index]!);
      });
    }
    return attempts.map((attempt) => statusOf.get(attempt)!);
  }

  /** Others of the webhook are recorded meanwhile: only those whose own rows are locked wait. */
  async #recordBeside(late: LateWebhook, attempt: FinishedAttempt): Promise<RecordedStatus> {
    const [recorded] = await this.#untilTaken(
      async () => [await this.#together.runOne(attempt)],
      async ([status]) => {
        if (status !== 'WEBHOOK_LOCKED' && status !== 'DELIVERY_LOCKED') {
          late.moved();
          this.#wakePutOffs(late, attempt);
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

  #wakePutOffs(late: LateWebhook, { delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    if (late.hasPutOffs) {
      late.hasPutOffs = false;
      this.deps.onUnlocked({ webhookId, tenantId });
    }
  }

  #logLocked(late: LateWebhook, { delivery: { webhookId, tenantId } }: FinishedAttempt): void {
    if (late.isLineStuck && !late.isLogged) {
      late.isLogged = true;
      this.deps.log.warn(
        { webhookId, tenantId },
        'another session has the row of a webhook locked: its outcomes wait, and nothing is sent to it',
      );
    }
  }

  #logDeliveryLocked(late: LateWebhook, { delivery }: FinishedAttempt): void {
    const { id: deliveryId, webhookId, tenantId } = delivery;
    const message = 'another session has the row of a delivery locked: its outcome waits';
    if (late.isStuck && this.#logThrottle.take(message)) {
      this.deps.log.warn({ deliveryId, webhookId, tenantId }, message);
    }
  }
}
