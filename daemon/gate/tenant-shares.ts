/**
 * A tenant's requests in flight are at most this many times what is left of all slots, when there is a second tenant:
 * then a fifth of the slots is left for that one, whatever the first one's endpoints do (dynamic thresholds, as in
 * `SlowRequests`).
 */
const TIMES_FREE = 4;
/** A tenth is left while only one is known: others get to be known by having a slot. */
const TIMES_FREE_ALONE = 9;

/** What one tenant has of the slots. */
export class TenantShare<Endpoint> {
  inFlight = 0;
  /** How many of its endpoints are known. */
  endpoints = 0;
  /** Endpoints at which somebody waits because the tenant has enough. Whose turn it is stands first. */
  readonly crowded = new Set<Endpoint>();

  constructor(
    private readonly all: TenantShares<Endpoint>,
    private readonly tenantId: number,
  ) {}

  get isFull(): boolean {
    return this.all.isFull(this);
  }

  begin(): void {
    this.inFlight += 1;
    this.all.inFlight += 1;
  }

  end(): void {
    this.inFlight -= 1;
    this.all.inFlight -= 1;
    this.#forgetIfIdle();
  }

  /** One of its endpoints is forgotten; its requests in flight are not. */
  leave(): void {
    this.endpoints -= 1;
    this.#forgetIfIdle();
  }

  #forgetIfIdle(): void {
    if (this.endpoints === 0 && this.inFlight === 0) {
      this.all.forget(this.tenantId);
    }
  }
}

/** How the slots are shared between tenants. */
export class TenantShares<Endpoint> {
  inFlight = 0;
  readonly #shares = new Map<number, TenantShare<Endpoint>>();

  constructor(private readonly slots: number) {}

  /** The share of a tenant of which one endpoint more is known from now on. */
  join(tenantId: number): TenantShare<Endpoint> {
    const share = this.#shares.get(tenantId) ?? new TenantShare<Endpoint>(this, tenantId);
    this.#shares.set(tenantId, share);
    share.endpoints += 1;
    return share;
  }

  forget(tenantId: number): void {
    this.#shares.delete(tenantId);
  }

  isFull({ inFlight }: TenantShare<Endpoint>): boolean {
    const timesFree = this.#shares.size > 1 ? TIMES_FREE : TIMES_FREE_ALONE;
    return inFlight >= timesFree * (this.slots - this.inFlight);
  }
}
