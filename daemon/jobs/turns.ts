import { Slots } from '../../src/concurrency/slots.js';
import type { Fence } from '../liveness/fence.js';

/** Jobs of the future are looked for twice a second only. */
const PUT_OFF_MS_MIN = 250;
/** After half a minute the sweeps take such work for forgotten. */
const PUT_OFF_MS_MAX = 25_000;
/** A job that would wait here for longer is put off. */
const WAIT_MS_MAX = 1_000;
/** Of those who have a turn or wait for one here, how many may be of one tenant. */
const TENANT_SHARE = 1 / 2;
/** What the newest turn weighs in the mean. */
const NEWEST = 1 / 4;

interface TurnsOptions<Payload> {
  fence: Pick<Fence, 'ending'>;
  /** How many have a turn at the same time. */
  atOnce: number;
  /** How many jobs wait here for theirs, if that takes a moment only: each keeps a worker from deliveries. */
  waitingMax: number;
  /**
   * One turn of the work.
   *
   * @param restInMs in how many milliseconds the rest is to be asked for again, if there is any
   */
  work: (payload: Payload, restInMs: () => number) => Promise<void>;
  /** Puts the work off: its job comes again later. */
  putOff: (payload: Payload, inMs: number) => Promise<void>;
  now?: () => number;
}

/**
 * Takes turns at long work. A tenant that starts it for hundreds of webhooks waits for itself: deliveries do not wait,
 * and other tenants wait for one turn at most.
 */
export class Turns<Payload extends { tenantId: number }> {
  readonly #turns: Slots;
  /** By tenant, how many have a turn or wait here. */
  readonly #here = new Map<number, number>();
  #meanMs = 0;
  /** By tenant, when those of it that have been put off will have had their turns. */
  readonly #busyUntil = new Map<number, number>();

  readonly #now: () => number;

  constructor(private readonly options: TurnsOptions<Payload>) {
    this.#turns = new Slots(options.atOnce);
    this.#now = options.now ?? (() => performance.now());
  }

  /** Does the work when it is its turn, or has that done later. */
  async run(payload: Payload): Promise<void> {
    const { tenantId } = payload;
    if (!this.#hasRoom(tenantId)) {
      await this.options.putOff(payload, this.#reserve(tenantId));
      return;
    }
    this.#count(tenantId, 1);
    try {
      await this.#turns.run(() => this.#turn(payload));
    } finally {
      this.#count(tenantId, -1);
    }
  }

  #hasRoom(tenantId: number): boolean {
    const { atOnce, waitingMax } = this.options;
    if (this.#turns.inUse < atOnce) {
      return true;
    }
    const { waitingCount } = this.#turns;
    const ofTenant = this.#here.get(tenantId) ?? 0;
    // Who has nothing here waits for one turn of each that has: that is not for long.
    return (
      waitingCount < waitingMax &&
      (ofTenant === 0 || waitingCount * this.#turnMs < WAIT_MS_MAX) &&
      ofTenant < (atOnce + waitingMax) * TENANT_SHARE
    );
  }

  async #turn(payload: Payload): Promise<void> {
    const { fence, work, putOff } = this.options;
    if (fence.ending) {
      await putOff(payload, 0);
      return;
    }
    const startedAt = this.#now();
    await work(payload, () => (this.#isWanted ? this.#reserve(payload.tenantId) : 0));
    this.#meanMs += (this.#now() - startedAt - this.#meanMs) * NEWEST;
  }

  /** How often one turn ends and the next one begins, ms. */
  get #turnMs(): number {
    return this.#meanMs / this.options.atOnce;
  }

  /** Whether somebody else waits for a turn, here or put off. */
  get #isWanted(): boolean {
    this.#forgetPast(this.#now());
    return this.#turns.waitingCount > 0 || this.#busyUntil.size > 0;
  }

  /**
   * @returns how long those of the tenant that come before it will take, ms: by what turns took lately, and one turn
   * of each other tenant that has work put off between two of its own
   */
  #reserve(tenantId: number): number {
    const now = this.#now();
    this.#forgetPast(now);
    const hereMs = Math.max(PUT_OFF_MS_MIN, this.#turns.waitingCount * this.#turnMs);
    const before = Math.max(this.#busyUntil.get(tenantId) ?? 0, now + hereMs);
    this.#busyUntil.set(tenantId, before);
    const until = Math.min(before + this.#busyUntil.size * this.#turnMs, now + PUT_OFF_MS_MAX);
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

  #count(tenantId: number, change: 1 | -1): void {
    const count = (this.#here.get(tenantId) ?? 0) + change;
    if (count === 0) {
      this.#here.delete(tenantId);
    } else {
      this.#here.set(tenantId, count);
    }
  }
}
