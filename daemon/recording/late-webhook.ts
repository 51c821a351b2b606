import type { GroupCommit } from '../../src/database/group-commit.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { RecordedStatus } from '../../src/operations/attempts/record-attempts.js';

/** Longer than anybody has a row locked who does not hang. */
const STUCK_AFTER_MS = 3_000;
/** Not before: a webhook with a lot of traffic has many outcomes on their way at any time. */
const CROWDED_AFTER_MS = 250;

/** What is known of a webhook some of whose outcomes wait for locks. */
export class LateWebhook {
  /** Outcomes that wait. */
  outcomes = 0;
  /** Since when none of them could be recorded (monotonic, ms). */
  #since = performance.now();
  /** Of these, those that wait in line for the row of the webhook. */
  #inLine = 0;
  #inLineSince = 0;
  /** Whether the log says that it is locked. */
  isLogged = false;
  /** Whether deliveries were put off because of it. */
  hasPutOffs = false;

  constructor(
    /** Records those in line; it keeps their order. */
    private readonly line: GroupCommit<FinishedAttempt, RecordedStatus | 'DELIVERY_LOCKED'>,
  ) {}

  get hasLine(): boolean {
    return this.#inLine > 0;
  }

  async runInLine(attempt: FinishedAttempt): Promise<RecordedStatus | 'DELIVERY_LOCKED'> {
    if (!this.hasLine) {
      this.#inLineSince = performance.now();
    }
    this.#inLine += 1;
    try {
      return await this.line.runOne(attempt);
    } finally {
      this.#inLine -= 1;
    }
  }

  /** The row of the webhook was free, though deliveries of those in line may be locked. */
  lineMoved(): void {
    this.#inLineSince = performance.now();
    this.isLogged = false;
  }

  /** An outcome was recorded. */
  moved(): void {
    this.#since = performance.now();
  }

  /** Whether the line does not move, because somebody hangs on the row of the webhook. */
  get isLineStuck(): boolean {
    return this.hasLine && msSince(this.#inLineSince) > STUCK_AFTER_MS;
  }

  /** Whether somebody hangs on one of the rows that outcomes wait for. */
  get isStuck(): boolean {
    return msSince(this.#since) > STUCK_AFTER_MS;
  }

  /**
   * For how long outcomes have waited because of which nothing is sent to the webhook (ms).
   *
   * @param outcomesMax how many may wait while others are sent
   * @returns null: there are none such
   */
  hinderedMs(outcomesMax: number): number | null {
    if (this.isLineStuck) {
      return msSince(this.#inLineSince);
    }
    const waitingMs = msSince(this.#since);
    return this.outcomes >= outcomesMax && waitingMs > CROWDED_AFTER_MS ? waitingMs : null;
  }
}

const msSince = (at: number) => performance.now() - at;
