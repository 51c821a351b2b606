/**
 * A tenant's requests in flight are at most this many times the free slots, when there is a second tenant: a fifth of
 * the slots is left for that one, whatever the first one's endpoints do. A tenant alone leaves a tenth: another one
 * gets to be known by having a slot.
 */
const TIMES_FREE = 4;
const TIMES_FREE_ALONE = 9;

/**
 * Whether a tenant with this many requests in flight has enough of the slots (dynamic thresholds, as `SlowRequests`).
 *
 * @param tenants how many are known
 */
export const isTenantFull = (inFlight: number, freeSlots: number, tenants: number): boolean =>
  inFlight >= (tenants > 1 ? TIMES_FREE : TIMES_FREE_ALONE) * freeSlots;

/** Permits that the endpoints of one tenant, or of one of its origins, share. */
export class Share<Endpoint> {
  inFlight = 0;
  #endpoints = 0;
  /** Endpoints at which deliveries wait for this share, the next one first. */
  readonly waiting = new Set<Endpoint>();

  constructor(
    private readonly isFullAt: (inFlight: number) => boolean,
    private readonly forget: () => void,
  ) {}

  get isFull(): boolean {
    return this.isFullAt(this.inFlight);
  }

  /** An endpoint joins the share. */
  join(): void {
    this.#endpoints += 1;
  }

  /** An endpoint is forgotten; its requests in flight are not. */
  leave(): void {
    this.#endpoints -= 1;
    this.#forgetIfIdle();
  }

  begin(): void {
    this.inFlight += 1;
  }

  end(): void {
    this.inFlight -= 1;
    this.#forgetIfIdle();
  }

  /**
   * Calls each waiting endpoint once at most, while the share has permits left. One that still waits then goes last: a
   * busy endpoint, at which deliveries wait at all times, would take every permit.
   */
  callWaiting(call: (endpoint: Endpoint) => void): void {
    for (let left = this.waiting.size; left > 0 && !this.isFull; left -= 1) {
      const [next] = this.waiting;
      if (next === undefined) {
        return;
      }
      call(next);
      if (this.waiting.delete(next)) {
        this.waiting.add(next);
      }
    }
  }

  #forgetIfIdle(): void {
    if (this.#endpoints === 0 && this.inFlight === 0) {
      this.forget();
    }
  }
}

/** The shares of all tenants, or of all origins, by key. */
export class Shares<Key, Endpoint> {
  readonly #shares = new Map<Key, Share<Endpoint>>();

  /** @param isFullAt whether a share with this many requests in flight gets no more permits */
  constructor(private readonly isFullAt: (inFlight: number) => boolean) {}

  /** How many shares are in use. */
  get size(): number {
    return this.#shares.size;
  }

  /** @returns the share of this key, which one endpoint more has from now on */
  join(key: Key): Share<Endpoint> {
    const share = this.#shares.get(key) ?? new Share<Endpoint>(this.isFullAt, () => this.#shares.delete(key));
    this.#shares.set(key, share);
    share.join();
    return share;
  }
}
