import { setTimeout as delay } from 'node:timers/promises';
import { MISSED_FOR_MS } from './dead-workers.js';

/** An attempt was not made. Its job is run again; nothing was sent. */
export class SendingStopped extends Error {
  override readonly name = 'SendingStopped';
}

/** After this long without an answer of the database, other processes may have the jobs. */
const SILENCE_MAX_MS = 5_000;
/** Sooner when the connection has broken: other processes miss this one from that moment on. */
const LOST_MAX_MS = 0.6 * MISSED_FOR_MS;
const CHECK_EVERY_MS = 100;

/**
 * Says whether requests may be sent. None may be while outcomes cannot be recorded, because a request whose outcome is
 * lost is sent again: when the database has been silent for some seconds, or an outcome waits for it.
 */
export class Fence {
  #lastHeardAt = Number.NEGATIVE_INFINITY;
  #lostAt: number | null = null;
  /** Aborts when the connection breaks. */
  #losing = new AbortController();
  #outcomesWaiting = 0;
  /** When the last delivery may begin; infinite until the daemon stops. */
  #lastBeginAt = Number.POSITIVE_INFINITY;
  /** The daemon has no more time: outcomes that wait for the database are given up, jobs in hand are left to others. */
  givenUp = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The database answered a question of `askedAt` (monotonic, ms): a process that slept may find an old answer. */
  heard(askedAt: number): void {
    this.#lastHeardAt = Math.max(this.#lastHeardAt, askedAt);
    if (this.#lostAt !== null && askedAt > this.#lostAt) {
      this.#lostAt = null;
    }
  }

  /** The connection that shows other processes that this one is alive has broken. */
  lost(): void {
    this.#lostAt ??= this.now();
    this.#losing.abort();
    this.#losing = new AbortController();
  }

  /** Whether the database has been silent for so long that other processes may have the jobs in hand. */
  get silent(): boolean {
    return this.now() > this.#silentAt;
  }

  /** Unless the database is heard meanwhile. */
  get #silentAt(): number {
    const ofLoss = this.#lostAt === null ? Number.POSITIVE_INFINITY : this.#lostAt + LOST_MAX_MS;
    return Math.min(this.#lastHeardAt + SILENCE_MAX_MS, ofLoss);
  }

  /** Waits until the database is silent, or until `given` aborts. */
  async untilSilent(given: AbortSignal): Promise<void> {
    while (!given.aborted && !this.silent) {
      const waking = AbortSignal.any([given, this.#losing.signal]);
      await delay(this.#silentAt - this.now() + 1, undefined, { signal: waking }).catch(() => {});
    }
  }

  get closed(): boolean {
    return this.#outcomesWaiting > 0 || this.silent;
  }

  /** @throws SendingStopped while the outcome of a request could not be recorded */
  requireOpen(): void {
    if (this.closed) {
      throw new SendingStopped('The request was not sent, because its outcome could not have been recorded.');
    }
  }

  /** Whether a delivery may begin. While the daemon stops, none begins that could not end in time. */
  get mayBegin(): boolean {
    return !this.closed && this.now() < this.#lastBeginAt;
  }

  /** An outcome could not be recorded. @returns a function to call when it is recorded or given up */
  outcomeWaits(): () => void {
    this.#outcomesWaiting += 1;
    return () => {
      this.#outcomesWaiting -= 1;
    };
  }

  /** @throws SendingStopped when the database is silent (another process may soon have the job) or the daemon ends */
  async opened(): Promise<void> {
    while (!this.mayBegin) {
      if (this.silent || this.ending) {
        throw new SendingStopped('Nothing is sent while outcomes cannot be recorded, or once the daemon ends.');
      }
      await delay(CHECK_EVERY_MS);
    }
  }

  get ending(): boolean {
    return this.#lastBeginAt < Number.POSITIVE_INFINITY;
  }

  /** The daemon stops: deliveries in hand may begin for this long, those that wait here give up. */
  end(beginWithinMs = 0): void {
    this.#lastBeginAt = Math.min(this.#lastBeginAt, this.now() + beginWithinMs);
  }
}
