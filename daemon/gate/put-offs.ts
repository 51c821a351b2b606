import { LANES, type Lane, laneAfterPutOff } from '../../src/domain/pacing/lanes.js';
import { uncalledMs } from '../../src/domain/pacing/put-off-times.js';
import { Counts } from '../../src/platform/concurrency/counts.js';
import type { Endpoint } from './endpoint.js';
import type { Delay } from './not-now.js';
import type { SlotDivision } from './slot-division.js';

/**
 * Lets the jobs of deliveries run now that were put off.
 *
 * @param here in this process, which has taken times for them, or has time for their contents; else in any
 * @returns the ids of those that come
 */
export type CallBack = (ids: readonly number[], here: boolean) => Promise<readonly number[]>;

const CALL_EVERY_MS = 50;
/** Sooner when a permit is free; the calls of a round share a statement. */
const CALL_SOON_MS = 15;
/** Longer than a delivery takes from its call until it is there: it gets a permit that is free by then. */
const CALL_AHEAD_MS = 100;
/** A backlog whose deliveries need nothing any more (their webhook is inactive) is gone through in growing steps. */
const STALE_CALLS_MAX = 256;

interface Called {
  endpoint: Endpoint;
  ids: readonly number[];
}

/**
 * Deliveries whose endpoint has no room for them, in each endpoint's `backlog`. They are called back as soon as there
 * is room, the oldest first.
 */
export class PutOffs {
  /** Endpoints with a backlog, or deliveries on their way back. */
  readonly #endpoints = new Set<Endpoint>();
  #timer: NodeJS.Timeout | undefined;
  #callsAtMs = Number.POSITIVE_INFINITY;
  #isCalling = false;

  constructor(
    private readonly slots: SlotDivision,
    private readonly callBack: CallBack,
  ) {}

  /** The delivery gives its slot back. Once its job is written it can be called back, before the job's time. */
  putOff(endpoint: Endpoint, id: number, lane: Lane): Delay {
    const now = performance.now();
    const { backlog, allowance, contents, tenant } = endpoint;
    const opensInMs = endpoint.opensAtMs(now, lane === 'TEST') - now;
    const closedForMs = Number.isFinite(opensInMs) ? Math.max(0, opensInMs) : 0;
    const contentEveryMs = contents?.isClosed(now) ? contents.everyMs * tenant.endpoints : 0;
    const everyMs = Math.max(endpoint.everyMs(this.slots.levelFor(tenant)), contentEveryMs);
    const calledInMs = (backlog.size + backlog.puttingOff) * everyMs;
    const { isRated } = allowance;
    endpoint.putOffs += 1;
    backlog.puttingOff += 1;
    return {
      putOffMs: closedForMs + uncalledMs({ lane, calledInMs, isRated }, Math.random()),
      ended: (isWritten) => {
        backlog.puttingOff -= 1;
        if (isWritten) {
          this.remember(endpoint, [{ id, priority: LANES[laneAfterPutOff(lane)].priority }]);
        }
      },
    };
  }

  /** Deliveries that were put off here, or by a daemon that has ended. */
  remember(endpoint: Endpoint, deliveries: readonly { id: number; priority: number }[]): void {
    for (const delivery of deliveries) {
      endpoint.backlog.add(delivery);
    }
    this.#endpoints.add(endpoint);
    this.#callIn(CALL_EVERY_MS);
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

  /** A delivery came that needs no request now. Perhaps its webhook is inactive, and the others need none either. */
  notDue(id: number): void {
    for (const { backlog } of this.#endpoints) {
      if (backlog.take(id)) {
        backlog.staleCalls = staleCallsAfter(backlog.staleCalls);
        return;
      }
    }
  }

  forget(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
  }

  /** A request to this endpoint has ended: its permit is free, and a slot. */
  freed(endpoint: Endpoint): void {
    if (endpoint.backlog.size > 0 || (this.slots.isScarce && this.#endpoints.size > 0)) {
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
      const coming = new Set((await Promise.all([true, false].map((here) => this.#callBack(called, here)))).flat());
      for (const { endpoint, ids } of called) {
        const gone = ids.filter((id) => !coming.has(id));
        for (const id of gone) {
          endpoint.backlog.take(id); // another process has its job, or it needs none any more
        }
        endpoint.backlog.staleCalls = gone.length === ids.length ? staleCallsAfter(ids.length) : 0;
      }
    }
    this.#isCalling = false;
    this.#callsAtMs = Number.POSITIVE_INFINITY;
    if (this.#endpoints.size > 0) {
      this.#callIn(CALL_EVERY_MS);
    }
  }

  async #callBack(called: readonly Called[], here: boolean): Promise<readonly number[]> {
    const ids = called.flatMap(({ endpoint, ids }) =>
      (endpoint.allowance.isRated || endpoint.contents !== null) === here ? ids : [],
    );
    return ids.length === 0 ? [] : await this.callBack(ids, here);
  }

  /** An endpoint that was called goes behind the others. */
  #calledNow(): Called[] {
    const now = performance.now();
    const coming = new Coming(this.slots, now);
    for (const endpoint of this.#endpoints) {
      endpoint.backlog.forgetLate(now);
      coming.add(endpoint, comingTo(endpoint));
    }
    const called: Called[] = [];
    for (const endpoint of [...this.#endpoints]) {
      const { size, expectedCount } = endpoint.backlog;
      if (size === 0) {
        if (expectedCount === 0) {
          this.#endpoints.delete(endpoint);
        }
        continue;
      }
      const count = endpoint.backlog.staleCalls || this.#wanted(endpoint, coming, now);
      if (count > 0) {
        const ids = endpoint.backlog.call(count, now);
        coming.add(endpoint, ids.length);
        called.push({ endpoint, ids });
        this.#endpoints.delete(endpoint);
        this.#endpoints.add(endpoint);
      }
    }
    return called;
  }

  #wanted(endpoint: Endpoint, coming: Coming, now: number): number {
    const permits = endpoint.permits(now, CALL_AHEAD_MS) - comingTo(endpoint);
    return permits <= 0 ? 0 : Math.min(permits, coming.slotsFor(endpoint), coming.contentsFor(endpoint));
  }
}

const staleCallsAfter = (calls: number): number => Math.min(STALE_CALLS_MAX, Math.max(2, 2 * calls));

/** Deliveries that were called back and are on their way, or wait for a permit. */
const comingTo = ({ backlog, room }: Endpoint): number => backlog.expectedCount + room.sizeUpTo('CALLED');

/** The slots as they will be when a delivery that is called now comes: some requests have ended, others have begun. */
class Coming {
  #all = 0;
  readonly #ofTenants = new Counts<number>();
  /** The deliveries among them that need a content. */
  readonly #contents = new Counts<number>();

  constructor(
    private readonly slots: SlotDivision,
    private readonly now: number,
  ) {}

  add({ tenantId, contents }: Endpoint, count: number): void {
    this.#all += count;
    this.#ofTenants.add(tenantId, count);
    this.#contents.add(tenantId, contents === null ? 0 : count);
  }

  contentsFor({ tenantId, contents }: Endpoint): number {
    return contents === null
      ? Number.POSITIVE_INFINITY
      : Math.max(0, contents.countUntil(this.now + CALL_AHEAD_MS) - this.#contents.of(tenantId));
  }

  slotsFor(endpoint: Endpoint): number {
    const { tenant, tenantId, inFlight, window } = endpoint;
    const ended = endpoint.isUncertain(this.now) ? 0 : Math.min(1, CALL_AHEAD_MS / (window.meanMs ?? CALL_AHEAD_MS));
    const held = {
      endpoint: inFlight * (1 - ended) + comingTo(endpoint),
      tenant: tenant.inFlight - tenant.endsWithin(CALL_AHEAD_MS, this.now) + this.#ofTenants.of(tenantId),
      free: this.slots.free + this.slots.requests.endsWithin(CALL_AHEAD_MS, this.now) - this.#all,
    };
    return Math.floor(this.slots.slotsFor(tenant, held));
  }
}
