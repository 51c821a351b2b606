import {
  afterAttempt,
  type EndpointWindow,
  newWindow,
  placeEveryMs,
  SLOW_MS,
  type WindowSample,
} from '../../src/domain/endpoint-window.js';
import type { TenantShare } from './tenant-shares.js';

/** A place in an endpoint's window. It must be left; leaving it twice does nothing. */
export interface Pass {
  /**
   * @param kind what the attempt said of the endpoint; undefined when no request was made
   * @param closes whether the answer asks for nothing more for now
   */
  leave(kind?: WindowSample['kind'], closes?: boolean): void;
}

/** Either a place in the window, or for how many milliseconds to put the delivery off. */
export type Admission = { pass: Pass } | { putOffMs: number };

export interface Waiter {
  resolve(admission: Admission): void;
  /** When it gives up. */
  untilMs: number;
}

const PUT_OFF_MS_MIN = 250;
const PUT_OFF_FIRST_MS_MAX = 1_000;
const PUT_OFF_MS_MAX = 600_000;

/** Until an answer that closes the endpoint is recorded and loaded with its next delivery. */
const CLOSED_MS = 1_000;

/** Scheme, host and port, as one tenant uses them. */
export class Origin {
  inFlight = 0;
  /** How many webhooks share it. */
  endpoints = 0;
  /** Those of them with somebody in their waiting room. */
  readonly waiting = new Set<Endpoint>();

  constructor(
    readonly key: string,
    readonly name: string,
  ) {}
}

/** What is known of one webhook's endpoint while the daemon runs. */
export class Endpoint {
  window: EndpointWindow;
  /** Those who go first, and those who came behind each other. */
  readonly waitingFirst: Waiter[] = [];
  readonly waiting: Waiter[] = [];
  /** Whether a timer is set for the first of those. */
  isWatched = false;
  putOffs = 0;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  /** When each request in flight began, the oldest first. */
  readonly #startedAt = new Map<symbol, number>();
  /** When the turn of the last one that was put off is expected. */
  #horizonMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly webhookId: number,
    readonly tenantId: number,
    readonly origin: Origin,
    readonly tenant: TenantShare<Endpoint>,
    private readonly limitMax: number,
  ) {
    this.window = newWindow(limitMax);
  }

  get inFlight(): number {
    return this.#startedAt.size;
  }

  /** By its answers so far, or because a request has been hanging for that long: how long it will, nobody knows. */
  isSlow(now: number): boolean {
    const [oldest] = this.#startedAt.values();
    return (this.window.meanMs ?? 0) > SLOW_MS || (oldest !== undefined && now - oldest > SLOW_MS);
  }

  isClosed(now: number): boolean {
    return now < this.#closedUntilMs;
  }

  close(now: number): void {
    this.#closedUntilMs = now + CLOSED_MS;
  }

  get waitingCount(): number {
    return this.waitingFirst.length + this.waiting.length;
  }

  /** Whose turn it is. */
  nextWaiting(): Waiter | undefined {
    return this.waitingFirst.shift() ?? this.waiting.shift();
  }

  /** When somebody gives up next. */
  get nextGivesUpAtMs(): number | undefined {
    const times = [this.waitingFirst, this.waiting].flatMap(([first]) => first?.untilMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  begin(now: number): symbol {
    const place = Symbol();
    this.#startedAt.set(place, now);
    this.origin.inFlight += 1;
    this.tenant.begin();
    return place;
  }

  /** @returns whether the place was taken until now */
  end(place: symbol, now: number, kind: WindowSample['kind'] | undefined): boolean {
    const startedAtMs = this.#startedAt.get(place);
    if (startedAtMs === undefined) {
      return false;
    }
    this.#startedAt.delete(place);
    this.origin.inFlight -= 1;
    this.tenant.end();
    if (kind !== undefined) {
      const before = placeEveryMs(this.window);
      this.window = afterAttempt(this.window, { startedAtMs, endedAtMs: now, kind }, this.limitMax);
      // Those who come next are put off by what is known now; who was put off already cannot be called back.
      const aheadMs = Math.max(0, this.#horizonMs - now);
      this.#horizonMs = now + (before > 0 ? aheadMs * Math.min(1, placeEveryMs(this.window) / before) : 0);
    }
    return true;
  }

  /**
   * The next turn behind all those that were put off before.
   *
   * @param chance 0 ≤ x < 1: those whose turn lies beyond the limit must not all come back at once
   * @returns milliseconds, from a quarter of a second to ten minutes
   */
  putOff(now: number, chance: number): number {
    this.putOffs += 1;
    this.#horizonMs = Math.max(now, this.#horizonMs) + placeEveryMs(this.window);
    const aheadMs = Math.max(PUT_OFF_MS_MIN, this.#horizonMs - now);
    return aheadMs < PUT_OFF_MS_MAX ? aheadMs : PUT_OFF_MS_MAX * (1 - chance / 4);
  }

  /** For who goes first: about when a place becomes free, whoever was put off before. */
  putOffFirst(): number {
    this.putOffs += 1;
    return Math.min(PUT_OFF_FIRST_MS_MAX, Math.max(PUT_OFF_MS_MIN, placeEveryMs(this.window)));
  }
}

/**
 * Calls endpoints that wait for places which they share, each once at most. Whoever was called and still waits is the
 * last one the next time.
 *
 * @param isPlace whether there is another place
 */
export function callInTurns(
  waiting: Set<Endpoint>,
  isPlace: () => boolean,
  call: (next: Endpoint) => void,
): void {
  for (let left = waiting.size; left > 0 && isPlace(); left -= 1) {
    const [next] = waiting;
    if (next === undefined) {
      return;
    }
    call(next);
    if (waiting.delete(next)) {
      waiting.add(next);
    }
  }
}

/** Puts off those in a line whose time is over. */
export function giveUp(line: Waiter[], untilMs: number, putOff: () => Admission): void {
  while (line.length > 0 && line[0]!.untilMs <= untilMs) {
    line.shift()!.resolve(putOff());
  }
}
