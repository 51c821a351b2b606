import { Counts } from '../../src/platform/concurrency/counts.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import type { Fence } from '../liveness/fence.js';

/** Future jobs are fetched only twice a second. */
const PUT_OFF_MS_MIN = 250;
/** The sweeps take work without a job for half a minute for forgotten. */
const PUT_OFF_MS_MAX = 25_000;
/** A job that would wait here for longer is put off. */
const WAIT_MS_MAX = 1_000;
/** The share of the jobs that run or wait here which one tenant may have. */
const TENANT_SHARE = 1 / 2;
/** The weight of the newest piece in the mean duration. */
const NEWEST = 1 / 4;

interface PacedWorkOptions<Payload> {
  fence: Pick<Fence, 'ending'>;
  /** How many pieces run at the same time. */
  atOnce: number;
  /** How many jobs may wait here, if that takes a moment only: each keeps a worker from deliveries. */
  waitingMax: number;
  /**
   * Does one piece of the work.
   *
   * @param restInMs in how many milliseconds the job for the rest, if any, is to run
   */
  work: (payload: Payload, restInMs: () => number) => Promise<void>;
  /** Makes the work's job run later. */
  putOff: (payload: Payload, inMs: number) => Promise<void>;
  now?: () => number;
}

/**
 * Does long work in pieces, a job each. A tenant that starts it for hundreds of webhooks waits for its own work;
 * deliveries do not wait, and other tenants wait for one piece at most.
 */
export class PacedWork<Payload extends { tenantId: number }> {
  readonly #slots: Slots;
  /** By tenant, how many jobs run or wait here. */
  readonly #here = new Counts<number>();
  #meanMs = 0;
  /** By tenant, the time at which its put-off jobs will be done. */
  readonly #busyUntil = new Map<number, number>();
  readonly #now: () => number;

  constructor(private readonly options: PacedWorkOptions<Payload>) {
    this.#slots = new Slots(options.atOnce);
    this.#now = options.now ?? (() => performance.now());
  }

  /** Does a piece of the work as soon as a slot is free, or puts the job off. */
  async run(payload: Payload): Promise<void> {
    const { tenantId } = payload;
    if (!this.#hasRoom(tenantId)) {
      await this.options.putOff(payload, this.#schedule(tenantId));
      return;
    }
    this.#here.add(tenantId, 1);
    try {
      await this.#slots.run(() => this.#work(payload));
    } finally {
      this.#here.add(tenantId, -1);
    }
  }

  #hasRoom(tenantId: number): boolean {
    const { atOnce, waitingMax } = this.options;
    if (this.#slots.inUse < atOnce) {
      return true;
    }
    const { waitingCount } = this.#slots;
    const ofTenant = this.#here.of(tenantId);
    // A tenant with no work here waits for at most one piece of every other tenant, which is short.
    return (
      waitingCount < waitingMax &&
      (ofTenant === 0 || waitingCount * this.#pieceMs < WAIT_MS_MAX) &&
      ofTenant < (atOnce + waitingMax) * TENANT_SHARE
    );
  }

  async #work(payload: Payload): Promise<void> {
    const { fence, work, putOff } = this.options;
    if (fence.ending) {
      await putOff(payload, 0);
      return;
    }
    const startedAt = this.#now();
    await work(payload, () => (this.#isWanted ? this.#schedule(payload.tenantId) : 0));
    this.#meanMs += (this.#now() - startedAt - this.#meanMs) * NEWEST;
  }

  /** The mean time between the ends of two pieces, ms. */
  get #pieceMs(): number {
    return this.#meanMs / this.options.atOnce;
  }

  /** Whether other work waits, here or put off. */
  get #isWanted(): boolean {
    this.#forgetPast(this.#now());
    return this.#slots.waitingCount > 0 || this.#busyUntil.size > 0;
  }

  /**
   * @returns how long the tenant's earlier pieces will take, ms, with one piece of every other tenant that has put-off
   *   work between two of them
   */
  #schedule(tenantId: number): number {
    const now = this.#now();
    this.#forgetPast(now);
    const hereMs = Math.max(PUT_OFF_MS_MIN, this.#slots.waitingCount * this.#pieceMs);
    const before = Math.max(this.#busyUntil.get(tenantId) ?? 0, now + hereMs);
    this.#busyUntil.set(tenantId, before);
    const until = Math.min(before + this.#busyUntil.size * this.#pieceMs, now + PUT_OFF_MS_MAX);
    this.#busyUntil.set(tenantId, until);
    return until - now;
  }

  #forgetPast(now: number): void {
    for (const [tenantId, until] of this.#busyUntil) {
      if (until <= now) {
        this.#busyUntil.delete(tenantId);
      }
    }
  }
}
