import type { RequestLimits } from '../../src/domain/limits/tenant-limits.js';
import type { Lane } from '../../src/domain/pacing/lanes.js';
import { UNCALLED_TEST_MS } from '../../src/domain/pacing/put-off-times.js';
import type { EndpointState } from '../../src/operations/attempts/endpoint-states.js';
import { type Allowed, type EndpointRules, partOf, UNLIMITED } from './allowance.js';
import type { Endpoint } from './endpoint.js';
import { Endpoints } from './endpoints.js';
import type { Candidate, Entry, Permit } from './entry.js';
import { type CallBack, PutOffs } from './put-offs.js';
import { Rates, type RateTables } from './rates.js';
import type { TenantShare } from './shares.js';
import { SlotDivision } from './slot-division.js';
import {
  isBehind,
  SHORT_BACKLOG_MS,
  SLOT_WAIT_MS_MAX,
  WAIT_MS_MAX,
  WAITING_AT_UNCERTAIN_MAX,
  WAITING_FOR_TIMES_SHARE,
  WAITING_TESTS_MAX,
  waitsForTimes,
} from './wait-limits.js';
import { WaitingEndpoints } from './waiting-endpoints.js';
import type { Line } from './waiting-room.js';

export interface GateOptions extends Omit<EndpointRules, 'daemons'> {
  slots: number;
  /** Most requests in flight to one origin for one tenant, over all its webhooks. */
  originMax: number;
  callBack: CallBack;
  rates: RateTables;
}

/**
 * Keeps one endpoint from hurting others. Each webhook has a window of requests in flight, and a waiting room for
 * deliveries that get a permit within half a second. Others are put off, and called back when there is room, the oldest
 * first. Slots are divided among tenants, and a tenant's among its endpoints (`SlotDivision`).
 */
export class Gate {
  readonly #endpoints: Endpoints;
  readonly #waiting = new WaitingEndpoints((endpoint) => this.#hasShare(endpoint));
  readonly #slots: SlotDivision;
  readonly #putOffs: PutOffs;
  readonly #rates: Rates;
  readonly #rules: EndpointRules;
  #waitingForTimes = 0;

  constructor(private readonly options: GateOptions) {
    const { slots, originMax, callBack, rates } = options;
    this.#rules = { ...options, daemons: 1 };
    this.#endpoints = new Endpoints(this.#rules, (endpoint) => this.#forgotten(endpoint));
    const atOnceMax = ({ limits }: TenantShare) => partOf(limits.requestsAtOnce, this.#rules.daemons);
    this.#slots = new SlotDivision(slots, originMax, atOnceMax, () => this.#waiting.call());
    this.#putOffs = new PutOffs(this.#slots, callBack);
    this.#rates = new Rates(rates, {
      came: (endpoint) => this.#timesCame(endpoint),
      found: (endpoint, left) => this.#putOffs.remember(endpoint, left),
    });
  }

  /** How many daemons there are, this one included: they divide what webhooks and operators allow at a time. */
  set daemons(count: number) {
    this.#rules.daemons = Math.max(1, count);
  }

  /** The limits of all tenants whose requests are limited. */
  set limits(limits: ReadonlyMap<number, RequestLimits>) {
    for (const endpoint of this.#endpoints.limit(limits)) {
      this.#allow(endpoint);
    }
  }

  get limitedTenants(): number {
    return this.#endpoints.limitedTenants;
  }

  /** Slot seconds without a request, beyond the reserve, for which somebody asked. */
  get idleSlotSeconds(): number {
    return this.#slots.idleSeconds;
  }

  /**
   * A permit at once or soon, or the delivery is put off.
   *
   * @param origin scheme, host and port of its url
   * @param allowed what its webhook's owner allows
   */
  enter(candidate: Candidate, lane: Lane, origin: string, allowed: Allowed = UNLIMITED): Entry | Promise<Entry> {
    const { id, content } = candidate;
    const endpoint = this.#endpoints.at(candidate, origin);
    const now = performance.now();
    endpoint.learn(candidate, now);
    this.#allow(endpoint, allowed);
    const wasCalled = endpoint.backlog.take(id);
    const isRequested = lane === 'TEST';
    const line = isRequested ? 'TEST' : wasCalled ? 'CALLED' : 'NEW';
    const isNext = line !== 'NEW' || this.#putOffs.isNext(endpoint, lane, now);
    const isFirst = isRequested || endpoint.room.sizeUpTo(line) === 0;
    this.#slots.asks(endpoint);
    if (isNext && isFirst && endpoint.opensAtMs(now, isRequested) <= now && this.#hasShare(endpoint)) {
      return this.#grant(endpoint, content);
    }
    this.#slots.wanted(now);
    return endpoint.opensWithin(WAIT_MS_MAX, now, isRequested) && this.#mayWait(endpoint, line, isNext, now)
      ? this.#wait(endpoint, candidate, lane, line)
      : this.#putOffs.putOff(endpoint, id, lane);
  }

  /**
   * A permit for a check, whatever state its endpoint has, as soon as there is a slot for it. Its answer changes
   * nothing here.
   */
  enterCheck(candidate: Candidate, origin: string): Entry {
    const endpoint = this.#endpoints.at(candidate, origin);
    if (!this.#hasShare(endpoint) || endpoint.contents?.isClosed(performance.now())) {
      return { putOffMs: UNCALLED_TEST_MS };
    }
    const permit = this.#grant(endpoint, candidate.content);
    return { ...permit, giveBack: () => permit.giveBack() };
  }

  /** A delivery came that needs no request now. */
  notDue(id: number): void {
    this.#putOffs.notDue(id);
  }

  /** @param allowed default: as before */
  #allow(endpoint: Endpoint, allowed?: Allowed): void {
    const wasRated = endpoint.allowance.isRated;
    endpoint.allow(allowed);
    if (endpoint.allowance.isRated) {
      this.#rates.wants(endpoint);
      if (!wasRated) {
        this.#rates.begins(endpoint);
      }
    }
  }

  #forgotten(endpoint: Endpoint): void {
    this.#putOffs.forget(endpoint);
    this.#rates.forget(endpoint);
    this.#slots.forgetIfIdle(endpoint);
  }

  #timesCame(endpoint: Endpoint): void {
    this.#waiting.add(endpoint);
    this.#waiting.call();
    this.#watch(endpoint);
    this.#putOffs.freed(endpoint);
  }

  /** Whether the delivery gets a permit in time. */
  #mayWait(endpoint: Endpoint, line: Line, isNext: boolean, now: number): boolean {
    const { room, backlog, tenant } = endpoint;
    if (line !== 'NEW') {
      return line === 'CALLED' || room.sizeUpTo('TEST') < WAITING_TESTS_MAX;
    }
    if (waitsForTimes(endpoint, now)) {
      return isNext && this.#waitingForTimes < this.options.slots * WAITING_FOR_TIMES_SHARE;
    }
    if (tenant.inFlight > 0 && (tenant.waiting + 1) * tenant.endsEveryMs(now) > WAIT_MS_MAX) {
      return false;
    }
    if (endpoint.isUncertain(now)) {
      return isNext && tenant.waiting < WAITING_AT_UNCERTAIN_MAX;
    }
    const hasShare = this.#hasShare(endpoint);
    const everyMs = endpoint.everyMs(this.#slots.levelFor(tenant));
    const waitMsMax = hasShare ? WAIT_MS_MAX : SLOT_WAIT_MS_MAX;
    const isSoon = (room.size + 1) * everyMs <= waitMsMax && backlog.ahead * everyMs <= SHORT_BACKLOG_MS;
    return isSoon && (endpoint.inFlight > 0 || !hasShare);
  }

  /** Endpoints whose rate makes deliveries wait for more than a minute. */
  get behind(): number {
    return [...this.#endpoints.values()].filter(isBehind).length;
  }

  states(): EndpointState[] {
    return this.#endpoints.states();
  }

  /** Whether there is a slot for it, and a permit of its origin. */
  #hasShare(endpoint: Endpoint): boolean {
    return endpoint.origin.inFlight < this.options.originMax && this.#slots.hasSlotFor(endpoint);
  }

  #grant(endpoint: Endpoint, content: Candidate['content']): Permit {
    const now = performance.now();
    const request = endpoint.begin(now);
    this.#slots.begin(now);
    const making = content === null ? null : endpoint.tenant.contents.begin();
    return {
      making,
      giveBack: (answer) => {
        const endedAt = performance.now();
        making?.end(endedAt);
        const ended = endpoint.end(request, endedAt, answer);
        if (ended !== null) {
          this.#slots.requests.end(ended.startedAtMs, endedAt);
          this.#ended(endpoint, endedAt);
        }
        return ended?.isSameClosing ?? false;
      },
    };
  }

  #ended(endpoint: Endpoint, now: number): void {
    const { room } = endpoint;
    if (endpoint.isClosed(now)) {
      // The deliveries in the waiting room were loaded before the answer that closes the endpoint.
      room.giveUp(Number.POSITIVE_INFINITY);
    }
    this.#waiting.renew(endpoint);
    this.#waiting.call();
    this.#watch(endpoint); // it may open sooner, or later, than it was expected to
    this.#slots.forgetIfIdle(endpoint);
    this.#putOffs.freed(endpoint);
  }

  #wait(endpoint: Endpoint, { id, content }: Candidate, lane: Lane, line: Line): Promise<Entry> {
    const { tenant, room } = endpoint;
    const forTimes = Number(line === 'NEW' && waitsForTimes(endpoint, performance.now()));
    tenant.waiting += 1;
    this.#waitingForTimes += forTimes;
    return new Promise((resolve) => {
      const leave = (entry: Entry) => {
        tenant.waiting -= 1;
        this.#waitingForTimes -= forTimes;
        resolve(entry);
      };
      const waiter = {
        enter: () => leave(this.#grant(endpoint, content)),
        giveUp: () => leave(this.#putOffs.putOff(endpoint, id, lane)),
        untilMs: performance.now() + WAIT_MS_MAX,
      };
      room.add(waiter, line);
      this.#waiting.add(endpoint);
      this.#watch(endpoint);
    });
  }

  /** An endpoint can begin to hang at any moment: then those that came first give up first. */
  #watch(endpoint: Endpoint): void {
    const { room } = endpoint;
    const givesUpAtMs = room.nextGivesUpAtMs;
    if (givesUpAtMs === undefined) {
      return;
    }
    const now = performance.now();
    const opensAtMs = endpoint.opensAtMs(now);
    room.wakeAt(opensAtMs > now ? Math.min(opensAtMs, givesUpAtMs) : givesUpAtMs, now, () => {
      this.#waiting.add(endpoint);
      this.#waiting.call();
      room.giveUp(performance.now());
      this.#watch(endpoint);
    });
  }
}
