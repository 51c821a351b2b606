import type { Outcome } from '../../src/domain/outcome.js';
import {
  type AnswerKind,
  afterAttempt,
  afterClosing,
  type EndpointWindow,
  newWindow,
  placeEveryMs,
  placesOf,
  SLOW_MS,
  silentAfterMs,
} from '../../src/domain/pacing/endpoint-window.js';
import { closingMs, FREE_FAILURES, nextLookAtMs, SPARE_FAILURES } from '../../src/domain/pacing/failing-row.js';
import { Backlog } from './backlog.js';
import { FailureRow } from './failure-row.js';
import type { Origin } from './origin.js';
import type { TenantShare } from './tenant-shares.js';
import { WaitingRoom } from './waiting-room.js';

/** What an attempt says of its endpoint. */
export interface Answer {
  outcome: Outcome;
  kind: AnswerKind;
}

/** What the tables said of a webhook when a delivery of it was loaded. */
export interface KnownHealth {
  generation: number;
  failuresAtLoad: number;
  closedForMs: number; // until the end of the pause that the endpoint asked for; 0 or less: it is open
  nextLookInMs: number; // until the next attempt after failures may begin; 0 or less: now
}

interface EndpointRules {
  /** The widest window. */
  limitMax: number;
  /** How long a row of failures lasts at least until it disables the webhook. */
  rowMsMin: number;
}

/** Until an outcome that disables the webhook is recorded, and known to whoever loads its next delivery. */
const DISABLED_MS = 1_000;
/** A silence of this length may be a pause of this very process; the deliveries that come meanwhile may wait. */
const HICCUP_MS = 300;
/** A pace that was missed by less is caught up with. */
const PACE_SLACK_MS = 50;

/** What the daemon knows of one webhook's endpoint. `src/domain/pacing` decides when its next request may begin. */
export class Endpoint {
  window: EndpointWindow;
  readonly room = new WaitingRoom();
  readonly backlog = new Backlog();
  putOffs = 0;
  #generation = 0;
  readonly #row: FailureRow;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  #closedAtMs = Number.NEGATIVE_INFINITY;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  #pacedUntilMs = Number.NEGATIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** The requests in flight, the oldest first. */
  readonly #requests = new Map<symbol, { startedAtMs: number; generation: number }>();

  constructor(
    readonly webhookId: number,
    readonly tenantId: number,
    readonly url: string,
    readonly origin: Origin<Endpoint>,
    readonly tenant: TenantShare<Endpoint>,
    private readonly rules: EndpointRules,
    now: number,
  ) {
    this.window = newWindow(rules.limitMax, now);
    this.#row = new FailureRow(rules.rowMsMin);
  }

  get inFlight(): number {
    return this.#requests.size;
  }

  /** In a row, as far as they do not disable the webhook. */
  get failures(): number {
    return this.#row.failures;
  }

  /** By its answers so far, or because a request has been hanging for that long: how long it will, nobody knows. */
  isSlow(now: number): boolean {
    const oldestMs = this.#oldestMs;
    return (this.window.meanMs ?? 0) > SLOW_MS || (oldestMs !== undefined && now - oldestMs > SLOW_MS);
  }

  /** Whether it has asked for a pause that is not over. */
  isClosed(now: number): boolean {
    return now < this.#closedUntilMs;
  }

  /** Whether nobody can say how soon its next answer comes: it goes on failing, is silent or slow. */
  isUncertain(now: number): boolean {
    const suspectMs = now - (this.#suspectSinceMs(now) ?? now);
    return (this.failures === 0 ? suspectMs > HICCUP_MS : this.failures > FREE_FAILURES) || this.isSlow(now);
  }

  /**
   * When the next request may begin, as far as the endpoint itself is concerned.
   *
   * @returns Infinity: not before one of those in flight has ended
   */
  opensAtMs(now: number): number {
    const pausedUntilMs = Math.max(this.#closedUntilMs, this.#pacedUntilMs);
    if (now < pausedUntilMs) {
      return pausedUntilMs;
    }
    if (this.inFlight >= this.rules.limitMax) {
      return Number.POSITIVE_INFINITY;
    }
    const sinceMs = this.#suspectSinceMs(now);
    if (sinceMs !== null) {
      const lastMs = Math.max(this.#row.failedAtMs, this.#beganAtMs);
      const suspect = { failures: this.#row.failures, inFlight: this.inFlight, sinceMs, lastMs };
      return nextLookAtMs(suspect, this.rules.rowMsMin);
    }
    return this.inFlight < placesOf(this.window) ? now : Number.POSITIVE_INFINITY;
  }

  /** Whether the next request may begin soon: with Infinity too, which any answer can end. */
  opensWithin(ms: number, now: number): boolean {
    const opensAtMs = this.opensAtMs(now);
    return opensAtMs === Number.POSITIVE_INFINITY || opensAtMs - now <= ms;
  }

  /** Places that are free now. */
  freePlaces(now: number): number {
    if (this.opensAtMs(now) > now) {
      return 0;
    }
    return this.#suspectSinceMs(now) !== null || this.window.pace.everyMs > 0
      ? 1
      : placesOf(this.window) - this.inFlight;
  }

  /** Requests that may begin until then, beside those in flight: at a full window only where answers come soon. */
  placesUntil(now: number, aheadMs: number): number {
    const opensAtMs = this.opensAtMs(now);
    const isFullAndQuick = opensAtMs === Number.POSITIVE_INFINITY && !this.isUncertain(now);
    if (opensAtMs > now + aheadMs && !isFullAndQuick) {
      return 0;
    }
    if (this.#suspectSinceMs(now) !== null) {
      return 1;
    }
    const { everyMs } = this.window.pace;
    const free = everyMs > 0 ? 0 : placesOf(this.window) - this.inFlight;
    return free + Math.ceil(aheadMs / placeEveryMs(this.window));
  }

  /**
   * Takes in what the tables say: other processes send to this endpoint too, and people switch it on again. Then all
   * that was learnt before is forgotten.
   */
  learn({ generation, failuresAtLoad, closedForMs, nextLookInMs }: KnownHealth, now: number): void {
    if (generation > this.#generation) {
      this.#generation = generation;
      this.#row.forget();
      this.#closedUntilMs = Number.NEGATIVE_INFINITY;
      this.#pacedUntilMs = Number.NEGATIVE_INFINITY;
      this.window = newWindow(this.rules.limitMax, now);
      this.backlog.clear();
    }
    if (generation < this.#generation) {
      return;
    }
    this.#row.learn(failuresAtLoad, nextLookInMs, now);
    if (closedForMs > 0) {
      this.#closedUntilMs = Math.max(this.#closedUntilMs, now + closedForMs);
    }
  }

  begin(now: number): symbol {
    const place = Symbol();
    this.#beganAtMs = now;
    this.#requests.set(place, { startedAtMs: now, generation: this.#generation });
    this.origin.inFlight += 1;
    this.tenant.begin();
    const { everyMs } = this.window.pace;
    if (everyMs > 0) {
      this.#pacedUntilMs = Math.max(this.#pacedUntilMs, now - PACE_SLACK_MS) + everyMs;
    }
    return place;
  }

  /**
   * @param answer undefined when no request was made
   * @returns null: the place was left before; whether the answer says again what has closed the endpoint meanwhile
   */
  end(place: symbol, now: number, answer: Answer | undefined): { isSameClosing: boolean } | null {
    const { startedAtMs, generation } = this.#requests.get(place) ?? {};
    if (startedAtMs === undefined) {
      return null;
    }
    const isSameClosing = answer !== undefined && isClosing(answer.outcome) && startedAtMs < this.#closedAtMs;
    if (answer !== undefined) {
      const wanted = this.inFlight + this.room.size + this.backlog.size + this.backlog.expectedCount;
      const sample = { startedAtMs, endedAtMs: now, kind: answer.kind, wanted };
      this.window = afterAttempt(this.window, sample, this.rules.limitMax);
      this.#answeredAtMs = now;
      if (generation === this.#generation && !isSameClosing) {
        this.#judge(answer.outcome, now);
      }
    }
    this.#requests.delete(place);
    this.origin.inFlight -= 1;
    this.tenant.end();
    return { isSameClosing };
  }

  #judge(outcome: Outcome, now: number): void {
    if (outcome.verdict === 'SUCCEEDED') {
      this.#row.succeeded(now);
      return;
    }
    if (outcome.verdict === 'GONE' || this.failures >= SPARE_FAILURES) {
      this.#closedUntilMs = Math.max(this.#closedUntilMs, now + DISABLED_MS);
    }
    this.#row.failed(now);
    const closeMs = closingMs(outcome, this.failures);
    if (closeMs !== null) {
      this.#closedAtMs = now;
      this.#closedUntilMs = Math.max(this.#closedUntilMs, now + closeMs);
      this.window = afterClosing(this.window, now, closeMs);
      this.#pacedUntilMs = this.#closedUntilMs;
    }
  }

  get #oldestMs(): number | undefined {
    const [oldest] = this.#requests.values();
    return oldest?.startedAtMs;
  }

  /** Since when it fails or is silent; null: it does neither. */
  #suspectSinceMs(now: number): number | null {
    const oldestMs = this.#oldestMs;
    if (this.failures > 0) {
      return this.#row.sinceMs(now) ?? oldestMs ?? Number.NEGATIVE_INFINITY;
    }
    if (oldestMs === undefined) {
      return null;
    }
    const sinceMs = Math.max(oldestMs, this.#answeredAtMs);
    return now - sinceMs > silentAfterMs(this.window) ? sinceMs : null;
  }
}

const isClosing = (outcome: Outcome): boolean => outcome.verdict === 'FAILED' && outcome.closing !== null;
