/**
 * How a daemon divides its slots among tenants, and a tenant's among its endpoints (docs/slots.md). A request cannot
 * be called back, so one slot in ten is a reserve for newcomers. All others are lent to those who ask for them.
 */

const RESERVE_SHARE = 1 / 10;
/** A tenant holds at most this many times the free slots: a reserve is left also while holdings move to new levels. */
const TIMES_FREE = 9;

/** Slots that may be free while somebody asks for one. */
export const reserveOf = (slots: number): number => slots * RESERVE_SHARE;

/**
 * The most that each gets of `slots`: who asks for less gets that, and the others divide the rest evenly.
 *
 * @returns Infinity when there is enough for all
 */
export function levelOf(slots: number, asks: readonly number[]): number {
  let left = slots;
  let others = asks.length;
  for (const ask of asks.toSorted((a, b) => a - b)) {
    if (ask * others > left) {
      return left / others;
    }
    left -= ask;
    others -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

interface Asking<Tenant> {
  readonly tenant: Tenant;
  /** The endpoint's requests in flight and due deliveries, as far as its limit allows them now. */
  readonly ask: number;
}

export interface Division<Tenant> {
  /** The sum of all asks, each tenant's up to its most. */
  readonly asked: number;
  /** The most requests in flight that a tenant may have. */
  readonly level: number;
  /** The most that each of its endpoints may have, where a tenant's endpoints ask for more than it gets. */
  readonly endpointLevels: ReadonlyMap<Tenant, number>;
}

/**
 * @param asking every endpoint that holds or wants a slot
 * @param atOnceMax the most that a tenant may have, whatever it asks for
 */
export function divideSlots<Tenant>(
  slots: number,
  asking: Iterable<Asking<Tenant>>,
  atOnceMax: (tenant: Tenant) => number = () => Number.POSITIVE_INFINITY,
): Division<Tenant> {
  const asks = new Map<Tenant, { own: number[]; sum: number }>();
  for (const { tenant, ask } of asking) {
    const of = asks.get(tenant) ?? { own: [], sum: 0 };
    asks.set(tenant, of);
    of.own.push(ask);
    of.sum += ask;
  }
  const sums = Array.from(asks, ([tenant, { sum }]) => Math.min(sum, atOnceMax(tenant)));
  const asked = sums.reduce((all, sum) => all + sum, 0);
  const level = levelOf(slots - reserveOf(slots), sums);
  const endpointLevels = new Map<Tenant, number>();
  for (const [tenant, { own, sum }] of asks) {
    const most = Math.min(level, atOnceMax(tenant));
    if (sum > most) {
      endpointLevels.set(tenant, levelOf(most, own));
    }
  }
  return { asked, level, endpointLevels };
}

/** Requests in flight of an endpoint and of its tenant, and the slots that are free. */
export interface Held {
  readonly endpoint: number;
  readonly tenant: number;
  readonly free: number;
}

/**
 * How many more requests of an endpoint may begin, as far as slots are concerned. Levels are seldom whole numbers, so
 * tenants could be full while an endpoint has less than its level: within the whole number of its own it does not wait
 * for its tenant, as long as half of the reserve is left.
 *
 * @param endpointLevel undefined: its tenant gets what it asks for
 */
export function slotsFor({ endpoint, tenant, free }: Held, level: number, endpointLevel: number | undefined): number {
  const ofTenant = Math.min(Math.ceil(level) - tenant, ofFree(TIMES_FREE, tenant, free));
  if (endpointLevel === undefined) {
    return Math.max(0, ofTenant);
  }
  const ofOwn = Math.min(Math.floor(endpointLevel) - endpoint, ofFree(2 * TIMES_FREE, tenant, free));
  return Math.max(0, ofOwn, Math.min(Math.ceil(endpointLevel) - endpoint, ofTenant));
}

/** How many more may begin until so many times the free slots are held; each that begins leaves one less. */
const ofFree = (times: number, held: number, free: number): number => Math.ceil((times * free - held) / (times + 1));

interface Holder {
  readonly inFlight: number;
  readonly tenant: { readonly inFlight: number };
}

/** Whether the first goes before the second when a slot is free: its tenant, and then itself, has fewer in flight. */
export const goesBefore = (first: Holder, second: Holder): boolean =>
  first.tenant.inFlight === second.tenant.inFlight
    ? first.inFlight < second.inFlight
    : first.tenant.inFlight < second.tenant.inFlight;
