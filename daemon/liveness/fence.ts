import { setTimeout as delay } from 'node:timers/promises';
import type { Sender } from '../sending/send.js';
import { MISSED_FOR_MS } from './dead-workers.js';

/** Why an attempt was not made. Its job is run again; nothing was sent. */
export class SendingStopped extends Error {
  override readonly name = 'SendingStopped';
}

/** After this long without a sign of life from the database, its jobs may be given to others. */
const SILENCE_MAX_MS = 5_000;
/** Sooner when the connection is known to be broken: others miss this process from that moment on. */
const LOST_MAX_MS = 0.6 * MISSED_FOR_MS;
const LOOK_AGAIN_MS = 100;

/**
 * Whether requests may be sent. They may not while their outcomes could not be recorded, because a request whose
 * outcome is lost is sent again: when the database has been silent for some seconds, or an outcome waits for it.
 */
export class Fence {
  #lastHeardAt = Number.NEGATIVE_INFINITY;
  #lostAt: number | null = null;
  #outcomesWaiting = 0;
  /** When the last delivery may begin; infinite until the daemon stops. */
  #lastBeginAt = Number.POSITIVE_INFINITY;
  #lettingGo = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * The database answered a question that was asked at `askedAt` (monotonic, ms). The time of the question counts, not
   * that of the answer: a process that slept for an hour may find an old answer waiting.
   */
  heard(askedAt: number): void {
    this.#lastHeardAt = Math.max(this.#lastHeardAt, askedAt);
    if (this.#lostAt !== null && askedAt > this.#lostAt) {
      this.#lostAt = null;
    }
  }

  /** The connection that shows others that this process is alive has broken. */
  lost(): void {
    this.#lostAt ??= this.now();
  }

  /** Whether the database has been silent for so long that others may take over what this process has in hand. */
  get silent(): boolean {
    const now = this.now();
    return now - this.#lastHeardAt > SILENCE_MAX_MS || (this.#lostAt !== null && now - this.#lostAt > LOST_MAX_MS);
  }

  /** To be asked right before a request is sent: while it is closed, none may be. */
  get closed(): boolean {
    return this.#outcomesWaiting > 0 || this.silent;
  }

  /** Whether a delivery may begin: while the daemon stops, those that could not end in time may not. */
  get mayBegin(): boolean {
    return !this.closed && this.now() < this.#lastBeginAt;
  }

  /** An outcome could not be recorded. @returns a function to call when it was, or was given up */
  outcomeWaits(): () => void {
    let waiting = true;
    this.#outcomesWaiting += 1;
    return () => {
      if (waiting) {
        waiting = false;
        this.#outcomesWaiting -= 1;
      }
    };
  }

  /**
   * Waits until deliveries may begin again. What was loaded before is old news by then.
   *
   * @throws SendingStopped when the database is silent (the job may belong to somebody else soon) or the daemon ends
   */
  async opened(): Promise<void> {
    while (!this.mayBegin) {
      if (this.silent || this.ending) {
        throw new SendingStopped('Nothing is sent while outcomes cannot be recorded, or once the daemon ends.');
      }
      await delay(LOOK_AGAIN_MS);
    }
  }

  /** Whether the daemon stops. */
  get ending(): boolean {
    return this.#lastBeginAt < Number.POSITIVE_INFINITY;
  }

  /**
   * The daemon stops: whoever waits gives up.
   *
   * @param beginWithinMs how long deliveries that it has in hand may still begin
   */
  end(beginWithinMs = 0): void {
    this.#lastBeginAt = Math.min(this.#lastBeginAt, this.now() + beginWithinMs);
  }

  /** Whether outcomes that wait for the database are given up. */
  get lettingGo(): boolean {
    return this.#lettingGo;
  }

  /** The daemon has no more time: what is still in hand is left to others. */
  letGo(): void {
    this.#lettingGo = true;
  }
}

/** A sender that asks the fence in the last moment. Its `send` throws SendingStopped while that is closed. */
export function fenced(sender: Sender, fence: Fence): Sender {
  return {
    send: (url, request, tenantId) =>
      fence.closed
        ? Promise.reject(
            new SendingStopped('The request was not sent, because its outcome could not have been recorded.'),
          )
        : sender.send(url, request, tenantId),
    close: () => sender.close(),
  };
}
