import { setTimeout as delay } from 'node:timers/promises';
import type { Sender } from './send.js';

/** Why an attempt was not made. Its job is run again; nothing was sent. */
export class SendingStopped extends Error {
  override readonly name = 'SendingStopped';
}

/** After this long without a sign of life from the database, its jobs may be given to others. */
const SILENCE_MAX_MS = 5_000;
const LOOK_AGAIN_MS = 100;

/**
 * Whether requests may be sent. They may not while their outcomes could not be recorded, because a request whose
 * outcome is lost is sent again: when the database has been silent for some seconds, or an outcome waits for it.
 */
export class Fence {
  #lastHeardAt = Number.NEGATIVE_INFINITY;
  #outcomesWaiting = 0;
  #ended = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * The database answered a question that was asked at `askedAt` (monotonic, ms). The time of the question counts, not
   * that of the answer: a process that slept for an hour may find an old answer waiting.
   */
  heard(askedAt: number): void {
    this.#lastHeardAt = Math.max(this.#lastHeardAt, askedAt);
  }

  /** Whether the database has been silent for so long that others may take over what this process has in hand. */
  get silent(): boolean {
    return this.now() - this.#lastHeardAt > SILENCE_MAX_MS;
  }

  /** To be asked right before a request is sent: while it is closed, none may be. */
  get closed(): boolean {
    return this.#outcomesWaiting > 0 || this.silent;
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
   * Waits until requests may be sent again. What was loaded before is old news by then.
   *
   * @throws SendingStopped when the database is silent (the job may belong to somebody else soon) or the daemon ends
   */
  async opened(): Promise<void> {
    while (this.closed) {
      if (this.silent || this.#ended) {
        throw new SendingStopped('Nothing is sent while outcomes cannot be recorded.');
      }
      await delay(LOOK_AGAIN_MS);
    }
  }

  /** Whether the daemon stops. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The daemon stops: whoever waits gives up. Requests that are just being made ready are still sent. */
  end(): void {
    this.#ended = true;
  }
}

/** A sender that asks the fence in the last moment. Its `send` throws SendingStopped while that is closed. */
export function fenced(sender: Sender, fence: Fence): Sender {
  return {
    send: (url, request) =>
      fence.closed
        ? Promise.reject(
            new SendingStopped('The request was not sent, because its outcome could not have been recorded.'),
          )
        : sender.send(url, request),
    close: () => sender.close(),
  };
}
