import { type Division, divideSlots, goesBefore, reserveOf, slotsFor } from '../../src/domain/pacing/slot-shares.js';
import { Chance } from '../seed/chance.js';

interface SimulatedEndpoint {
  /** The most requests in flight that it takes. */
  limit: number;
  answerSeconds: readonly [from: number, to: number];
  /** Deliveries that become due. */
  perSecond: number;
}

interface Endpoint extends SimulatedEndpoint {
  tenant: Tenant;
  /** When it came, or when a request of it has begun or ended last. */
  servedAt: number;
  inFlight: number;
  due: number;
}

interface Tenant {
  inFlight: number;
  /** How many of its requests have ended. */
  ended: number;
  endpoints: Endpoint[];
}

/** What there is from one event until the next one. */
interface Moment {
  seconds: number;
  inFlight: number;
  /** How many more would be in flight if there were a slot for each. */
  unmet: number;
  isWithinLimits: boolean;
  tenants: readonly Tenant[];
}

const DIVIDE_EVERY_SECONDS = 0.05;

/** The rule of slots with a clock of its own: deliveries become due, begin when they may, and end. */
export class SlotSimulation {
  readonly #chance: Chance;
  readonly #tenants: Tenant[] = [];
  readonly #events: { at: number; run: () => void }[] = [];
  #division: Division<Tenant>;
  #isDividing = false;
  #asksForEver = false;
  #now = 0;
  #inFlight = 0;
  #ended = 0;

  constructor(
    private readonly slots: number,
    tenants: readonly (readonly SimulatedEndpoint[])[],
    seed: number,
    /** Who goes first of those that may begin. In the gate, deliveries that were put off come by chance. */
    private readonly order: 'FEWEST' | 'CHANCE' = 'FEWEST',
  ) {
    this.#chance = new Chance(seed);
    this.#division = divideSlots(slots, []);
    for (const endpoints of tenants) {
      this.join(endpoints);
    }
  }

  get free(): number {
    return this.slots - this.#inFlight;
  }

  /** From now on each endpoint has as many due deliveries as it takes. */
  askForEver(): void {
    this.#asksForEver = true;
    for (const endpoint of this.#endpoints) {
      endpoint.due = Number.POSITIVE_INFINITY;
    }
    this.#begin();
  }

  /** Another tenant comes, and has a due delivery for each of its endpoints. */
  join(endpoints: readonly SimulatedEndpoint[]): Tenant {
    const tenant: Tenant = { inFlight: 0, ended: 0, endpoints: [] };
    this.#tenants.push(tenant);
    for (const endpoint of endpoints) {
      this.#add(endpoint, tenant);
    }
    this.#begin();
    return tenant;
  }

  /** Another endpoint of the first tenant comes, with a due delivery. */
  joinFirst(endpoint: SimulatedEndpoint): Endpoint {
    const joined = this.#add(endpoint, this.#tenants[0]!);
    this.#begin();
    return joined;
  }

  #add(endpoint: SimulatedEndpoint, tenant: Tenant): Endpoint {
    const due = this.#asksForEver ? Number.POSITIVE_INFINITY : 1;
    const joined: Endpoint = { ...endpoint, tenant, servedAt: this.#now, inFlight: 0, due };
    tenant.endpoints.push(joined);
    this.#arrive(joined);
    return joined;
  }

  run(seconds: number, observe: (moment: Moment) => void = () => {}): void {
    const end = this.#now + seconds;
    while (this.#events.length > 0 && this.#events[0]!.at < end) {
      const { at } = this.#events[0]!;
      observe(this.#moment(at - this.#now));
      this.#now = at;
      this.#events.shift()!.run();
      this.#begin();
    }
    this.#now = end;
  }

  /** @param tenant whose request it is; default: anybody's */
  untilNextEnd(tenant?: Tenant): void {
    const ended = () => (tenant === undefined ? this.#ended : tenant.ended);
    for (const before = ended(); ended() === before; ) {
      this.run(this.#events[0]!.at - this.#now + 1e-9);
    }
  }

  /** The parts of tenants and endpoints, as they are defined: the least of what they ask for and the level. */
  parts(): Map<Tenant | Endpoint, number> {
    const { level, endpointLevels } = this.#divided();
    const parts = new Map<Tenant | Endpoint, number>();
    for (const tenant of this.#tenants) {
      parts.set(
        tenant,
        Math.min(
          level,
          tenant.endpoints.reduce((sum, endpoint) => sum + askOf(endpoint), 0),
        ),
      );
      for (const endpoint of tenant.endpoints) {
        parts.set(endpoint, Math.min(endpointLevels.get(tenant) ?? Number.POSITIVE_INFINITY, askOf(endpoint)));
      }
    }
    return parts;
  }

  get #endpoints(): Endpoint[] {
    return this.#tenants.flatMap(({ endpoints }) => endpoints);
  }

  #moment(seconds: number): Moment {
    const endpoints = this.#endpoints;
    const unmet = endpoints.reduce((sum, endpoint) => sum + askOf(endpoint), 0) - this.#inFlight;
    const isWithinLimits = endpoints.every(({ inFlight, limit }) => inFlight <= limit);
    return { seconds, inFlight: this.#inFlight, unmet, isWithinLimits, tenants: this.#tenants };
  }

  #divided(): Division<Tenant> {
    return divideSlots(
      this.slots,
      this.#endpoints.map((endpoint) => ({ tenant: endpoint.tenant, ask: askOf(endpoint) })),
    );
  }

  #at(inSeconds: number, run: () => void): void {
    const at = this.#now + inSeconds;
    const index = this.#events.findLastIndex((event) => event.at <= at);
    this.#events.splice(index + 1, 0, { at, run });
  }

  #arrive(endpoint: Endpoint): void {
    this.#at((2 * this.#chance.next()) / endpoint.perSecond, () => {
      endpoint.due += 1;
      this.#arrive(endpoint);
    });
  }

  /** As in the gate: of those that may begin, the tenant's and then the endpoint's with the fewest goes first. */
  #begin(): void {
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      const endpoint = first;
      const [from, to] = endpoint.answerSeconds;
      this.#count(endpoint, 1);
      endpoint.due -= 1;
      this.#at(from + this.#chance.next() * (to - from), () => {
        this.#count(endpoint, -1);
        this.#ended += 1;
        endpoint.tenant.ended += 1;
      });
      if (this.free < reserveOf(this.slots)) {
        this.#divide();
      }
    }
    if (this.#endpoints.some(({ due }) => due > 0)) {
      this.#divide();
    }
  }

  #first(): Endpoint | undefined {
    const { level, endpointLevels } = this.#division;
    const ready = this.#endpoints.filter(({ tenant, inFlight, limit, due }) => {
      const held = { endpoint: inFlight, tenant: tenant.inFlight, free: this.free };
      return due > 0 && inFlight < limit && slotsFor(held, level, endpointLevels.get(tenant)) > 0;
    });
    if (this.order === 'CHANCE') {
      return ready[this.#chance.whole(0, ready.length - 1)];
    }
    const [first, ...others] = ready.sort((a, b) => a.servedAt - b.servedAt);
    return others.reduce((best, endpoint) => (best && goesBefore(endpoint, best) ? endpoint : best), first);
  }

  #count(endpoint: Endpoint, change: 1 | -1): void {
    endpoint.servedAt = this.#now;
    endpoint.inFlight += change;
    endpoint.tenant.inFlight += change;
    this.#inFlight += change;
  }

  #divide(): void {
    if (this.#isDividing) {
      return;
    }
    this.#isDividing = true;
    this.#division = this.#divided();
    const again = () => {
      this.#division = this.#divided();
      const isNeeded = this.#division.level < Number.POSITIVE_INFINITY || this.#endpoints.some(({ due }) => due > 0);
      if (isNeeded) {
        this.#at(DIVIDE_EVERY_SECONDS, again);
      } else {
        this.#isDividing = false;
      }
    };
    this.#at(DIVIDE_EVERY_SECONDS, again);
  }
}

const askOf = ({ inFlight, due, limit }: Endpoint): number => Math.min(limit, inFlight + due);
