import { placeEveryMs } from '../../src/domain/pacing/endpoint-window.js';
import { LANES, type Lane, laneAfterPutOff } from '../../src/domain/pacing/lanes.js';
import type { Endpoint } from './endpoint.js';
import type { NotNow } from './not-now.js';

export interface PutOffsOptions {
  /** How many deliveries the daemon works on at the same time. */
  slots: number;
  /**
   * Lets the jobs of deliveries run now that were put off.
   *
   * @returns the ids of those that come
   */
  callBack: (ids: readonly number[]) => Promise<readonly number[]>;
  /** Milliseconds, never going back. */
  now: () => number;
  /** 0 ≤ x < 1 */
  random: () => number;
  /** Whether the places that an endpoint shares with others have one for it. */
  hasShare: (endpoint: Endpoint, now: number) => boolean;
}

export interface WaitingDelivery {
  id: number;
  lane: Lane;
}

const CALL_EVERY_MS = 50;
/** Sooner when a place has become free; those of a round share a statement. */
const CALL_SOON_MS = 15;
/** From the call until the delivery is there, and a bit: so long ahead places are filled. */
const CALL_AHEAD_MS = 100;
/**
 * Of the slots, how many deliveries may be on their way to endpoints that fail, are silent or slow: each that finds no
 * place holds a slot for half a second. To all others as many as there are slots: with fewer, the calls and not the
 * endpoint would say how fast a backlog goes down, and one that grows faster than that would never end.
 */
const COMING_TO_UNCERTAIN_SHARE = 1 / 4;
const COMING_MIN = 8;
/** A backlog whose deliveries need nothing any more (their webhook is inactive) is gone through in larger steps. */
const STALE_CALLS = 256;

/** A person waits for a test: it looks again by itself, too. */
const LOOK_AGAIN_MS = 1_000;

/** The job of a delivery that nobody calls back (its daemon died) runs when its turn would have come, and a bit. */
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

  constructor(private readonly options: PutOffsOptions) {}

  /** The delivery gives its slot back. Once its job is written it can be called back, before the job's time. */
  putOff(endpoint: Endpoint, { id, lane }: WaitingDelivery): NotNow {
    const now = this.options.now();
    const opensInMs = endpoint.opensAtMs(now) - now;
    const closedForMs = Number.isFinite(opensInMs) ? Math.max(0, opensInMs) : 0;
    const turnMs = placeEveryMs(endpoint.window);
    endpoint.putOffs += 1;
    const before = endpoint.backlog.size + endpoint.backlog.puttingOff;
    const uncalledMs = lane === 'TEST' ? LOOK_AGAIN_MS : UNCALLED_MS + UNCALLED_TIMES * before * turnMs;
    // Those whose turn lies beyond the limit must not all come back at once.
    const spreadMs = uncalledMs < UNCALLED_MS_MAX ? uncalledMs : UNCALLED_MS_MAX * (1 - this.options.random() / 4);
    endpoint.backlog.puttingOff += 1;
    return {
      putOffMs: closedForMs + spreadMs,
      ended: (isWritten) => {
        endpoint.backlog.puttingOff -= 1;
        if (isWritten) {
          endpoint.backlog.add({ id, priority: LANES[laneAfterPutOff(lane)].priority });
          this.#endpoints.add(endpoint);
          this.#callIn(CALL_EVERY_MS);
        }
      },
    };
  }

  /**
   * Whether a delivery that comes now need not stand behind those that were put off: there are none, they are less
   * urgent, or there is a place for each of them and for this one too. Without the last, one put-off would follow the
   * other for as long as deliveries come.
   */
  isNext(endpoint: Endpoint, lane: Lane, now: number): boolean {
    const { backlog } = endpoint;
    const { expectedCount, puttingOff, ahead } = backlog;
    if (ahead === 0 || endpoint.freePlaces(now) > ahead) {
      return true;
    }
    const isFirst = puttingOff === 0 && !backlog.isBefore(LANES[laneAfterPutOff(lane)].priority);
    return isFirst && (expectedCount === 0 || endpoint.freePlaces(now) > expectedCount);
  }

  forget(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
  }

  /** A place of this endpoint has become free. */
  freed(endpoint: Endpoint): void {
    if (endpoint.backlog.size > 0) {
      this.#callIn(CALL_SOON_MS);
    }
  }

  #callIn(ms: number): void {
    const atMs = this.options.now() + ms;
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
      const coming = new Set(await this.options.callBack(called.map(({ id }) => id)));
      for (const { endpoint, id } of called) {
        if (!coming.has(id)) {
          endpoint.backlog.take(id); // somebody else has its job, or it needs none any more
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

  /** Endpoints take turns, and what is on its way is bounded: each that comes holds a slot while it waits. */
  #calledNow(): { endpoint: Endpoint; id: number }[] {
    const now = this.options.now();
    const endpoints = [...this.#endpoints].map((endpoint) => ({
      endpoint,
      isUncertain: endpoint.isUncertain(now),
    }));
    let room = Math.max(COMING_MIN, this.options.slots);
    let uncertainRoom = Math.max(COMING_MIN, this.options.slots * COMING_TO_UNCERTAIN_SHARE);
    for (const { endpoint, isUncertain } of endpoints) {
      endpoint.backlog.forgetLate(now);
      room -= endpoint.backlog.expectedCount;
      uncertainRoom -= isUncertain ? endpoint.backlog.expectedCount : 0;
    }
    const called: { endpoint: Endpoint; id: number }[] = [];
    for (const { endpoint, isUncertain } of endpoints) {
      const roomHere = isUncertain ? Math.min(room, uncertainRoom) : room;
      if (endpoint.backlog.size === 0) {
        this.#endpoints.delete(endpoint);
      } else if (roomHere > 0 && this.options.hasShare(endpoint, now)) {
        const ids = endpoint.backlog.call(Math.min(roomHere, this.#wanted(endpoint, now)), now);
        room -= ids.length;
        uncertainRoom -= isUncertain ? ids.length : 0;
        called.push(...ids.map((id) => ({ endpoint, id })));
        this.#endpoints.delete(endpoint);
        this.#endpoints.add(endpoint); // behind the others
      }
    }
    return called;
  }

  #wanted(endpoint: Endpoint, now: number): number {
    const { backlog, room } = endpoint;
    return backlog.isStale
      ? STALE_CALLS
      : endpoint.placesUntil(now, CALL_AHEAD_MS) - room.sizeUpTo('CALLED') - backlog.expectedCount;
  }
}
