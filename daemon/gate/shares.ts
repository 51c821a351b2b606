import { UNLIMITED_REQUESTS } from '../../src/domain/limits/tenant-limits.js';
import { ContentPace } from '../../src/domain/pacing/content-pace.js';

/** A longer time without an end may be more than a pause of this process. */
const PAUSE_MS = 300;
const NEWEST_WEIGHT = 1 / 8;

/** Requests in flight, and how soon one after the other of them ends. */
export class InFlight {
  inFlight = 0;
  #meanMs = 0;
  #endedAtMs = Number.NEGATIVE_INFINITY;

  begin(now: number): void {
    if (this.inFlight === 0) {
      this.#endedAtMs = now; // until then none could end
    }
    this.inFlight += 1;
  }

  end(startedAtMs: number, now: number): void {
    this.inFlight -= 1;
    this.#meanMs += (now - startedAtMs - this.#meanMs) * NEWEST_WEIGHT;
    this.#endedAtMs = now;
  }

  /** Milliseconds from one end to the next (Little's law); as long as the last one is past, if that is long. */
  endsEveryMs(now: number): number {
    const passedMs = now - this.#endedAtMs;
    return Math.max(this.#meanMs / this.inFlight, passedMs > PAUSE_MS ? passedMs : 0);
  }

  /** How many end within this time. */
  endsWithin(ms: number, now: number): number {
    return this.inFlight === 0 ? 0 : Math.min(this.inFlight, ms / this.endsEveryMs(now));
  }
}

/** The requests in flight and the waiting deliveries of one tenant, or of one of its origins, over its endpoints. */
export class Share extends InFlight {
  /** Deliveries that wait for a permit. */
  waiting = 0;
  /** How many have joined it. */
  endpoints = 0;

  constructor(private readonly forget: () => void) {
    super();
  }

  /** An endpoint joins the share. */
  join(): void {
    this.endpoints += 1;
  }

  /** An endpoint is forgotten; its requests in flight are not. */
  leave(): void {
    this.endpoints -= 1;
    this.#forgetIfIdle();
  }

  override end(startedAtMs: number, now: number): void {
    super.end(startedAtMs, now);
    this.#forgetIfIdle();
  }

  #forgetIfIdle(): void {
    if (this.endpoints === 0 && this.inFlight === 0) {
      this.forget();
    }
  }
}

/** The share of a tenant. */
export class TenantShare extends Share {
  /** How much of the time its contents have taken. */
  readonly contents = new ContentPace();
  /** The limits of its requests, over all daemons. */
  limits = UNLIMITED_REQUESTS;
  /** Whether its rate has given its endpoints less than they wanted, the last time. */
  isScarce = false;
  /** When another daemon was last seen to take times of its rate. */
  othersAtMs = Number.NEGATIVE_INFINITY;
  /** When this daemon last asked for some. */
  answeredAtMs = Number.NEGATIVE_INFINITY;
  /** The first time that this daemon has left for others, by Postgres's clock. */
  leftServerMs = 0;
}

/** The shares of all tenants, or of all origins, by key. */
export class Shares<Key, One extends Share = Share> {
  readonly #shares = new Map<Key, One>();

  constructor(private readonly Kind: new (forget: () => void) => One) {}

  /** @returns the share of this key, which one endpoint more has from now on */
  join(key: Key): One {
    const share = this.#shares.get(key) ?? new this.Kind(() => this.#shares.delete(key));
    this.#shares.set(key, share);
    share.join();
    return share;
  }
}
