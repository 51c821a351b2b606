import { type Division, divideSlots, type Held, reserveOf, slotsFor } from '../../src/domain/pacing/slot-shares.js';
import { InFlight, type Share } from './shares.js';

/** How often slots are divided while somebody waits for one. */
const DIVIDE_EVERY_MS = 50;

interface Options<Endpoint> {
  slots: number;
  /** The endpoints that have requests in flight, or due deliveries. */
  asking: ReadonlySet<Endpoint>;
  /** Counts an endpoint's requests in flight, and its due deliveries as far as its limit allows. */
  ask: (endpoint: Endpoint, now: number) => number;
  onDivided: () => void;
}

interface Holder {
  readonly inFlight: number;
  readonly tenant: Share;
}

/**
 * Counts requests in flight, and divides the slots among those who ask for them (`slotsFor`). Asks change with every
 * delivery, so levels are worked out twenty times a second, and only while deliveries wait.
 */
export class SlotDivision<Endpoint extends Holder> {
  readonly requests = new InFlight();
  #division: Division<Share>;
  #timer: NodeJS.Timeout | undefined;
  #measuredAtMs = 0;
  /** Slot seconds without a request, beyond the reserve, for which somebody asked. */
  idleSeconds = 0;

  constructor(private readonly options: Options<Endpoint>) {
    this.#division = divideSlots(options.slots, []);
  }

  /** Whether there are fewer slots than are asked for. */
  get isScarce(): boolean {
    return this.#division.level < Number.POSITIVE_INFINITY;
  }

  get free(): number {
    return this.options.slots - this.requests.count;
  }

  begin(now: number): void {
    this.requests.begin(now);
    if (this.free < reserveOf(this.options.slots)) {
      this.wanted(now);
    }
  }

  /** Whether another request of the endpoint may begin, as far as slots are concerned. */
  hasSlotFor({ inFlight, tenant }: Holder): boolean {
    return this.slotsFor(tenant, { endpoint: inFlight, tenant: tenant.inFlight, free: this.free }) > 0;
  }

  /** The most requests in flight that each endpoint of a tenant may have, as far as slots are concerned. */
  levelFor(tenant: Share): number {
    return this.#division.endpointLevels.get(tenant) ?? this.#division.level;
  }

  /** How many requests of a tenant's endpoint may begin while this is held. */
  slotsFor(tenant: Share, held: Held): number {
    return slotsFor(held, this.#division.level, this.#division.endpointLevels.get(tenant));
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
      this.options.onDivided();
      if (unmet > 0 || this.isScarce) {
        this.#divideSoon();
      } else {
        this.#timer = undefined;
      }
    }, DIVIDE_EVERY_MS).unref();
  }

  /** @returns how many more requests would be in flight if there were a slot for each */
  #divide(now: number): number {
    const { slots, asking, ask } = this.options;
    const asks = Array.from(asking, (endpoint) => ({ tenant: endpoint.tenant, ask: ask(endpoint, now) }));
    this.#division = divideSlots(slots, asks);
    const unmet = this.#division.asked - this.requests.count;
    const idle = Math.max(0, Math.min(unmet, this.free - reserveOf(slots)));
    this.idleSeconds += (idle * (now - this.#measuredAtMs)) / 1000;
    this.#measuredAtMs = now;
    return unmet;
  }
}
