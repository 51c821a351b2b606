import { BoundedMap } from '../../domain/collections/bounded-map.js';
import { EventLease } from '../../domain/pacing/event-lease.js';
import { rateLimited } from '../../errors.js';
import { leaseEvents } from '../../operations/tenants/lease-events.js';
import type { HasPool } from '../../platform/database/database.js';
import type { LimitName } from '../../platform/telemetry/api-metrics.js';

interface Charge {
  tenantId: number;
  /** The tenant's limit. */
  perSecond: number;
  events: number;
}

interface LimitedTenant {
  lease: EventLease;
  /** The question that is under way. */
  asking: Promise<void> | null;
  /** The events of all requests that wait for it. */
  waiting: number;
}

const TENANTS_MAX = 10_000;

/**
 * The limits of events a second that operators have set for tenants. All API processes lease events from one row for
 * each tenant, a fifth of a second's at a time (docs/decisions/0092). Tenants without such a limit never come here.
 */
export class EventLeases {
  readonly #tenants = new BoundedMap<number, LimitedTenant>(TENANTS_MAX);

  /** @param now milliseconds, never going back */
  constructor(
    private readonly db: HasPool,
    private readonly now: () => number,
    private readonly onRefusal: (limit: LimitName) => void,
  ) {}

  /**
   * Counts the events of one request, all or none. While the database is away nothing is refused here: the emit itself
   * says so.
   *
   * @throws ApiError rate_limited, which names the limit
   */
  async charge(charges: readonly Charge[]): Promise<void> {
    const taken: [EventLease, number][] = [];
    for (const { tenantId, perSecond, events } of charges) {
      const tenant = this.#tenant(tenantId, perSecond);
      const waitMs = await this.#take(tenant, tenantId, events);
      if (waitMs > 0) {
        for (const [lease, count] of taken) {
          lease.giveBack(count);
        }
        this.onRefusal('tenant_events');
        const allowed = perSecond === 1 ? '1 event a second' : `${perSecond} events a second`;
        const why = `The operator allows this tenant at most ${allowed} (limits.eventsPerSecond). Nothing was done.`;
        throw rateLimited(why, waitMs);
      }
      taken.push([tenant.lease, events]);
    }
  }

  #tenant(tenantId: number, perSecond: number): LimitedTenant {
    const known = this.#tenants.get(tenantId);
    if (known?.lease.perSecond === perSecond) {
      return known;
    }
    const made: LimitedTenant = { lease: new EventLease(perSecond), asking: null, waiting: 0 };
    this.#tenants.renew(tenantId, made);
    return made;
  }

  /** @returns 0: they are taken; or how long to wait */
  async #take(tenant: LimitedTenant, tenantId: number, events: number): Promise<number> {
    const { lease } = tenant;
    lease.came(events);
    tenant.waiting += events;
    try {
      for (;;) {
        const now = this.now();
        if (lease.take(events, now)) {
          return 0;
        }
        const closedForMs = lease.closedForMs(now);
        if (closedForMs > 0) {
          return closedForMs;
        }
        tenant.asking ??= this.#ask(tenant, tenantId, events).finally(() => {
          tenant.asking = null;
        });
        await tenant.asking;
      }
    } catch {
      return 0;
    } finally {
      tenant.waiting -= events;
    }
  }

  async #ask({ lease, waiting }: LimitedTenant, tenantId: number, events: number): Promise<void> {
    const { needed, wanted } = lease.ask(events, waiting, this.now());
    const answer = await leaseEvents(this.db, { tenantId, perSecond: lease.perSecond, needed, wanted });
    lease.got(answer, wanted, this.now());
  }
}
