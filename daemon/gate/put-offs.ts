import { permitEveryMs } from '../../src/domain/pacing/endpoint-window.js';
import { LANES, type Lane, laneAfterPutOff } from '../../src/domain/pacing/lanes.js';
import type { Endpoint } from './endpoint.js';
import type { NotNow } from './not-now.js';

/**
 * Lets the jobs of deliveries run now that were put off.
 *
 * @returns the ids of those that come
 */
export type CallBack = (ids: readonly number[]) => Promise<readonly number[]>;

const CALL_EVERY_MS = 50;
/** Sooner when a permit is free; the calls of a round share a statement. */
const CALL_SOON_MS = 15;
/** Longer than a delivery takes from its call until it is there: it gets a permit that is free by then. */
const CALL_AHEAD_MS = 100;
/**
 * The share of the slots that may be on their way to endpoints that fail, are silent or slow: a delivery that finds no
 * permit there occupies a slot for half a second. As many as there are slots may be on their way to all others: with
 * fewer, the calls and not the endpoint would limit how fast a backlog shrinks, and one that grows faster would never
 * end.
 */
const COMING_TO_UNCERTAIN_SHARE = 1 / 4;
const COMING_MIN = 8;
/** A backlog whose deliveries need nothing any more (their webhook is inactive) is gone through in larger steps. */
const STALE_CALLS = 256;

/** A person waits for a test: its job runs soon, also when nobody calls it back. */
const UNCALLED_TEST_MS = 1_000;
/** The job of a delivery that nobody calls back (its daemon died) runs some time after it would have been called. */
const UNCALLED_MS = 5_000;
const UNCALLED_TIMES = 1.5;
const UNCALLED_MS_MAX = 600_000;

/**
 * Deliveries whose endpoint has no room for them, in each endpoint's `backlog`. They are called back as soon as there
 * is room, the oldest first.
 */
export class PutOffs {
  /** Endpoints with a backlog. */
  readonly #endpoints = new Set<Endpoint>();
  #timer: NodeJS.Timeout | undefined;
  #callsAtMs = Number.POSITIVE_INFINITY;
  #isCalling = false;

  /** @param hasShare whether the shares that an endpoint has part in have a permit for it */
  constructor(
    private readonly slots: number,
    private readonly callBack: CallBack,
    private readonly hasShare: (endpoint: Endpoint, now: number) => boolean,
  ) {}

  /** The delivery gives its slot back. Once its job is written it can be called back, before the job's time. */
  putOff(endpoint: Endpoint, id: number, lane: Lane): NotNow {
    const now = performance.now();
    const { backlog, window } = endpoint;
    const opensInMs = endpoint.opensAtMs(now) - now;
    const closedForMs = Number.isFinite(opensInMs) ? Math.max(0, opensInMs) : 0;
    const calledInMs = (backlog.size + backlog.puttingOff) * permitEveryMs(window);
    const uncalledMs = lane === 'TEST' ? UNCALLED_TEST_MS : UNCALLED_MS + UNCALLED_TIMES * calledInMs;
    // Those that would come later than the limit must not all come back at once.
    const spreadMs = uncalledMs < UNCALLED_MS_MAX ? uncalledMs : UNCALLED_MS_MAX * (1 - Math.random() / 4);
    endpoint.putOffs += 1;
    backlog.puttingOff += 1;
    return {
      putOffMs: closedForMs + spreadMs,
      ended: (isWritten) => {
        backlog.puttingOff -= 1;
        if (isWritten) {
          backlog.add({ id, priority: LANES[laneAfterPutOff(lane)].priority });
          this.#endpoints.add(endpoint);
          this.#callIn(CALL_EVERY_MS);
        }
      },
    };
  }

  /**
   * Whether a delivery that comes now goes ahead of those that were put off: there are none, they are less urgent, or
   * there is a permit for each of them and for this one too. Without the last, one put-off would follow the other for
   * as long as deliveries come.
   */
  isNext(endpoint: Endpoint, lane: Lane, now: number): boolean {
    const { backlog } = endpoint;
    const { expectedCount, puttingOff, ahead } = backlog;
    if (ahead === 0 || endpoint.permits(now) > ahead) {
      return true;
    }
    const isFirst = puttingOff === 0 && !backlog.isBefore(LANES[laneAfterPutOff(lane)].priority);
    return isFirst && (expectedCount === 0 || endpoint.permits(now) > expectedCount);
  }

  forget(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
  }

  /** A permit of this endpoint has become free. */
  freed(endpoint: Endpoint): void {
    if (endpoint.backlog.size > 0) {
      this.#callIn(CALL_SOON_MS);
    }
  }

  #callIn(ms: number): void {
    const atMs = performance.now() + ms;
    if (!this.#isCalling && atMs < this.#callsAtMs) {
      clearTimeout(this.#timer);
      this.#callsAtMs = atMs;
      this.#timer = setTimeout(() => void this.#call(), ms).unref();
    }
  }

  async #call(): Promise<void> {
    this.#isCalling = true;
    const called = this.#calledNow();
    if (called.length > 0) {
      const coming = new Set(await this.callBack(called.map(({ id }) => id)));
      for (const { endpoint, id } of called) {
        if (!coming.has(id)) {
          endpoint.backlog.take(id); // another process has its job, or it needs none any more
        }
        endpoint.backlog.isStale = !coming.has(id);
      }
    }
    this.#isCalling = false;
    this.#callsAtMs = Number.POSITIVE_INFINITY;
    if (this.#endpoints.size > 0) {
      this.#callIn(CALL_EVERY_MS);
    }
  }

  /** An endpoint that was called goes behind the others. The deliveries on their way are bounded: each takes a slot. */
  #calledNow(): { endpoint: Endpoint; id: number }[] {
    const now = performance.now();
    const uncertain = new Set<Endpoint>();
    let room = Math.max(COMING_MIN, this.slots);
    let uncertainRoom = Math.max(COMING_MIN, this.slots * COMING_TO_UNCERTAIN_SHARE);
    const take = (endpoint: Endpoint, count: number) => {
      room -= count;
      uncertainRoom -= uncertain.has(endpoint) ? count : 0;
    };
    for (const endpoint of this.#endpoints) {
      if (endpoint.isUncertain(now)) {
        uncertain.add(endpoint);
      }
      endpoint.backlog.forgetLate(now);
      take(endpoint, endpoint.backlog.expectedCount);
    }
    const called: { endpoint: Endpoint; id: number }[] = [];
    for (const endpoint of [...this.#endpoints]) {
      const roomHere = uncertain.has(endpoint) ? Math.min(room, uncertainRoom) : room;
      if (endpoint.backlog.size === 0) {
        this.#endpoints.delete(endpoint);
      } else if (roomHere > 0 && this.hasShare(endpoint, now)) {
        const ids = endpoint.backlog.call(Math.min(roomHere, this.#wanted(endpoint, now)), now);
        take(endpoint, ids.length);
        called.push(...ids.map((id) => ({ endpoint, id })));
        this.#endpoints.delete(endpoint);
        this.#endpoints.add(endpoint);
      }
    }
    return called;
  }

  #wanted(endpoint: Endpoint, now: number): number {
    const { backlog, room } = endpoint;
    return backlog.isStale
      ? STALE_CALLS
      : endpoint.permits(now, CALL_AHEAD_MS) - room.sizeUpTo('CALLED') - backlog.expectedCount;
  }
}
