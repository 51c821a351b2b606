import { type Division, divideSlots, type Held, reserveOf, slotsFor } from '../../src/domain/pacing/slot-shares.js';
import type { Endpoint } from './endpoint.js';
import { InFlight, type TenantShare } from './shares.js';

/** How often slots are divided while somebody waits for one. */
const DIVIDE_EVERY_MS = 50;

/**
 * Counts requests in flight, and divides the slots among those who ask for them (`slotsFor`). Asks change with every
 * delivery, so levels are worked out twenty times a second, and only while deliveries wait.
 */
export class SlotDivision {
  /** Endpoints with requests in flight or due deliveries. */
  readonly #asking = new Set<Endpoint>();
  readonly requests = new InFlight();
  #division: Division<TenantShare>;
  #timer: NodeJS.Timeout | undefined;
  #measuredAtMs = 0;
  /** Slot seconds without a request, beyond the reserve, for which somebody asked. */
  idleSeconds = 0;

  /**
   * @param atOnceMax the most requests in flight that a tenant may have
   * @param onDivided called when others may begin than before
   */
  constructor(
    private readonly slots: number,
    private readonly originMax: number,
    private readonly atOnceMax: (tenant: TenantShare) => number,
    private readonly onDivided: () => void,
  ) {
    this.#division = divideSlots(slots, []);
  }

  /** The endpoint has, or is about to have, a due delivery or a request in flight. */
  asks(endpoint: Endpoint): void {
    this.#asking.add(endpoint);
  }

  forgetIfIdle(endpoint: Endpoint): void {
    if (endpoint.inFlight === 0 && endpoint.due === 0) {
      this.#asking.delete(endpoint);
    }
  }

  /** Whether there are fewer slots than are asked for. */
  get isScarce(): boolean {
    return this.#division.level < Number.POSITIVE_INFINITY;
  }

  get free(): number {
    return this.slots - this.requests.inFlight;
  }

  begin(now: number): void {
    this.requests.begin(now);
    if (this.free < reserveOf(this.slots)) {
      this.wanted(now);
    }
  }

  /** Whether another request of the endpoint may begin, as far as slots are concerned. */
  hasSlotFor({ inFlight, tenant }: Endpoint): boolean {
    return this.slotsFor(tenant, { endpoint: inFlight, tenant: tenant.inFlight, free: this.free }) > 0;
  }

  /** The most requests in flight that each endpoint of a tenant may have, as far as slots are concerned. */
  levelFor(tenant: TenantShare): number {
    return Math.min(this.#division.endpointLevels.get(tenant) ?? this.#division.level, this.atOnceMax(tenant));
  }

  /** How many requests of a tenant's endpoint may begin while this is held. */
  slotsFor(tenant: TenantShare, held: Held): number {
    const max = this.atOnceMax(tenant);
    const slots = slotsFor(held, Math.min(this.#division.level, max), this.#division.endpointLevels.get(tenant));
    return Math.max(0, Math.min(slots, max - held.tenant));
  }

  /** Somebody waits for a request to end: levels are worked out from now on. */
  wanted(now: number): void {
    if (this.#timer === undefined) {
      this.#measuredAtMs = now;
      this.#divide(now);
      this.#divideSoon();
    }
  }

  #divideSoon(): void {
    this.#timer = setTimeout(() => {
      const now = performance.now();
      const unmet = this.#divide(now);
      this.onDivided();
      if (unmet > 0 || this.isScarce) {
        this.#divideSoon();
      } else {
        this.#timer = undefined;
      }
    }, DIVIDE_EVERY_MS).unref();
  }

  /** @returns how many more requests would be in flight if there were a slot for each */
  #divide(now: number): number {
    const asks = Array.from(this.#asking, (endpoint) => ({
      tenant: endpoint.tenant,
      ask: endpoint.ask(now, this.originMax),
    }));
    this.#division = divideSlots(this.slots, asks, this.atOnceMax);
    const unmet = this.#division.asked - this.requests.inFlight;
    const idle = Math.max(0, Math.min(unmet, this.free - reserveOf(this.slots)));
    this.idleSeconds += (idle * (now - this.#measuredAtMs)) / 1000;
    this.#measuredAtMs = now;
    return unmet;
  }
}
