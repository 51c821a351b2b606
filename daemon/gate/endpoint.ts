import {
  afterAttempt,
  afterClosing,
  type EndpointWindow,
  narrowed,
  newWindow,
  permitAtMs,
  permitEveryMs,
  permitsOf,
  silentAfterMs,
} from '../../src/domain/pacing/endpoint-window.js';
import { closingMs, FREE_FAILURES, nextProbeAtMs, SPARE_FAILURES } from '../../src/domain/pacing/probes.js';
import { TAKEN_AHEAD_MS } from '../../src/domain/pacing/request-rate.js';
import { Allowance, type Allowed, type EndpointRules, type TimesWanted } from './allowance.js';
import { type Answer, isClosing, type KnownHealth } from './answer.js';
import { Backlog } from './backlog.js';
import { FailureStreak } from './failure-streak.js';
import { Pauses } from './pauses.js';
import type { Share, TenantShare } from './shares.js';
import { WaitingRoom } from './waiting-room.js';

interface Ended {
  startedAtMs: number;
  /** Whether the answer repeats one that has closed the endpoint. */
  isSameClosing: boolean;
}

/** A silence of this length may be a pause of this process; the deliveries that come meanwhile may wait. */
const HICCUP_MS = 300;

/** One webhook's endpoint as this daemon knows it. `src/domain/pacing` decides when its next request may begin. */
export class Endpoint {
  window: EndpointWindow;
  readonly room = new WaitingRoom();
  readonly backlog = new Backlog();
  readonly allowance: Allowance;
  putOffs = 0;
  /** The pace of its deliveries' contents; null: they have none, as far as the last one says. */
  contents: TenantShare['contents'] | null = null;
  #generation = 0;
  readonly #streak: FailureStreak;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  readonly #pauses = new Pauses();
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** The requests in flight, the oldest first. */
  readonly #requests = new Map<symbol, { startedAtMs: number; generation: number }>();

  constructor(
    readonly webhookId: number,
    readonly tenantId: number,
    readonly url: string,
    readonly origin: Share,
    readonly tenant: TenantShare,
    private readonly rules: EndpointRules,
    now = performance.now(),
  ) {
    this.allowance = new Allowance(rules, tenant);
    this.window = newWindow(rules.endpointMax, now);
    this.#streak = new FailureStreak(rules.streakMsMin);
  }

  get inFlight(): number {
    return this.#requests.size;
  }

  /** From one delivery's turn to the next one's. @param levelMax what it may have in flight, by slots */
  everyMs(levelMax: number): number {
    return Math.max(permitEveryMs(this.window, levelMax), this.allowance.everyMs);
  }

  get failures(): number {
    return this.#streak.failures;
  }

  isClosed(now: number): boolean {
    return this.#pauses.isClosed(now);
  }

  /** Deliveries that are due and in hand of this daemon: they wait here, or are put off, or on their way back. */
  get due(): number {
    return this.room.size + this.backlog.ahead;
  }

  /** Counts its requests in flight, and those that it could have at once. */
  ask(now: number, originMax: number): number {
    const more = Math.min(this.due, this.permits(now), originMax - this.origin.inFlight);
    return this.inFlight + Math.max(0, more);
  }

  /** Whether its next answer may take long to come: it goes on failing, or is silent. */
  isUncertain(now: number): boolean {
    const suspectMs = now - (this.#suspectSinceMs(now) ?? now);
    return this.failures === 0 ? suspectMs > HICCUP_MS : this.failures > FREE_FAILURES;
  }

  /**
   * When the next request may begin, as far as the endpoint itself is concerned.
   *
   * @param isRequested a person waits for it: then it is the next probe
   * @returns Infinity: not before one of those in flight has ended
   */
  opensAtMs(now: number, isRequested = false): number {
    return Math.max(this.#permitAtMs(now, isRequested), this.allowance.opensAtMs(now));
  }

  /** The same, whatever its rate is. */
  #permitAtMs(now: number, isRequested: boolean): number {
    const fromMs = Math.max(this.#pauses.untilMs, this.contents?.opensAtMs(now) ?? now);
    if (now < fromMs) {
      return fromMs;
    }
    if (this.inFlight >= this.allowance.inFlightMax) {
      return Number.POSITIVE_INFINITY;
    }
    const sinceMs = this.#suspectSinceMs(now);
    if (sinceMs !== null) {
      const lastMs = Math.max(this.#streak.failedAtMs, this.#beganAtMs);
      const suspect = { failures: this.failures, inFlight: this.inFlight, sinceMs, lastMs };
      const probeAtMs = nextProbeAtMs(suspect, this.rules.streakMsMin);
      if (!isRequested || probeAtMs <= now) {
        return probeAtMs;
      }
      return this.inFlight === 0 ? now : Number.POSITIVE_INFINITY;
    }
    return permitAtMs(this.window, this.inFlight, this.allowance.inFlightMax, now);
  }

  /** Whether the next request may begin soon: with Infinity too, which any answer can end. */
  opensWithin(ms: number, now: number, isRequested = false): boolean {
    const opensAtMs = this.opensAtMs(now, isRequested);
    return opensAtMs === Number.POSITIVE_INFINITY || opensAtMs - now <= ms;
  }

  /** Permits that are free within `aheadMs`. Those of a full window count as coming where answers come soon. */
  permits(now: number, aheadMs = 0): number {
    return Math.min(this.#permitsOfWindow(now, aheadMs), this.allowance.timesUntil(now, now + aheadMs));
  }

  /** The times that it needs for deliveries in hand; null: none. */
  timesWanted(now: number): TimesWanted | null {
    const permits = this.#permitsOfWindow(now, TAKEN_AHEAD_MS);
    return permits <= 0 ? null : this.allowance.timesWanted(now, Math.min(this.due, permits));
  }

  #permitsOfWindow(now: number, aheadMs: number): number {
    const opensAtMs = this.#permitAtMs(now, false);
    const isFullAndQuick = aheadMs > 0 && opensAtMs === Number.POSITIVE_INFINITY && !this.isUncertain(now);
    if (opensAtMs > now + aheadMs && !isFullAndQuick) {
      return 0;
    }
    if (this.#suspectSinceMs(now) !== null) {
      return 1;
    }
    const coming = Math.floor(aheadMs / permitEveryMs(this.window));
    return this.window.pace.everyMs > 0
      ? Math.max(1, coming)
      : Math.min(this.allowance.inFlightMax, permitsOf(this.window, this.allowance.inFlightMax, now)) -
          this.inFlight +
          coming;
  }

  /** The window becomes no wider than the owner allows. @param allowed default: as before */
  allow(allowed?: Allowed): void {
    this.allowance.learn(allowed);
    this.window = narrowed(this.window, this.allowance.inFlightMax);
  }

  /**
   * Takes in what the tables say: other processes send to this endpoint too. A webhook that was switched on again has a
   * new generation, and begins without a history.
   */
  learn({ generation, failuresAtLoad, closedForMs, nextProbeInMs }: KnownHealth, now: number): void {
    if (generation > this.#generation) {
      this.#generation = generation;
      this.#streak.forget();
      this.#pauses.forget();
      this.window = newWindow(this.allowance.inFlightMax, now);
      this.backlog.clear();
    }
    if (generation < this.#generation) {
      return;
    }
    this.#streak.learn(failuresAtLoad, nextProbeInMs, now);
    if (closedForMs > 0) {
      this.#pauses.closeUntil(now + closedForMs);
    }
  }

  begin(now: number): symbol {
    const permit = Symbol();
    this.#beganAtMs = now;
    this.allowance.begin(now);
    this.#requests.set(permit, { startedAtMs: now, generation: this.#generation });
    this.origin.begin(now);
    this.tenant.begin(now);
    this.#pauses.began(now, this.window.pace.everyMs);
    return permit;
  }

  /**
   * @param answer undefined when no request was made
   * @returns null: the permit was given back before
   */
  end(permit: symbol, now: number, answer: Answer | undefined): Ended | null {
    const { startedAtMs, generation } = this.#requests.get(permit) ?? {};
    if (startedAtMs === undefined) {
      return null;
    }
    const isSameClosing = answer !== undefined && isClosing(answer.outcome) && this.#pauses.isBefore(startedAtMs);
    if (answer !== undefined) {
      const wanted = this.inFlight + this.room.size + this.backlog.size + this.backlog.expectedCount;
      const sample = { startedAtMs, endedAtMs: now, kind: answer.kind, wanted };
      this.window = afterAttempt(this.window, sample, this.allowance.inFlightMax);
      this.#answeredAtMs = now;
      if (generation === this.#generation && !isSameClosing) {
        this.#judge(answer, startedAtMs, now);
      }
    }
    this.#requests.delete(permit);
    this.origin.end(startedAtMs, now);
    this.tenant.end(startedAtMs, now);
    return { startedAtMs, isSameClosing };
  }

  #judge({ outcome, isUnanswered = false }: Answer, startedMs: number, now: number): void {
    if (outcome.verdict === 'SUCCEEDED') {
      this.#streak.succeeded(now);
      return;
    }
    const hasNoneToSpare = this.failures >= SPARE_FAILURES;
    if (!this.#streak.failed({ startedMs, endedMs: now, isUnanswered })) {
      return;
    }
    if (outcome.verdict === 'GONE' || hasNoneToSpare) {
      this.#pauses.disabled(now);
    }
    const closeMs = closingMs(outcome, this.failures);
    if (closeMs !== null) {
      this.#pauses.asked(now, closeMs);
      this.window = afterClosing(this.window, now, closeMs);
    }
  }

  /** The begin of its failures or its silence; null: it does neither. */
  #suspectSinceMs(now: number): number | null {
    const [oldest] = this.#requests.values();
    const oldestMs = oldest?.startedAtMs;
    if (this.failures > 0) {
      return this.#streak.sinceMs(now) ?? oldestMs ?? Number.NEGATIVE_INFINITY;
    }
    if (oldestMs === undefined) {
      return null;
    }
    const sinceMs = Math.max(oldestMs, this.#answeredAtMs);
    return now - sinceMs > silentAfterMs(this.window) ? sinceMs : null;
  }
}
