import { TAKEN_AHEAD_MS } from '../../src/domain/pacing/request-rate.js';
import type { GrantedTimes, WantedTimes } from '../../src/operations/attempts/endpoint-rates.js';
import type { Endpoint } from './endpoint.js';
import type { TenantShare } from './shares.js';

/** Postgres's times are rounded. */
const SAME_MS = 0.01;

/** The most requests of a tenant that one answer can grant. */
const mostOf = (perSecond: number): number => Math.ceil((perSecond * TAKEN_AHEAD_MS) / 1_000) + 1;

interface AskedOfTenant {
  perSecond: number;
  asked: WantedTimes[];
  wanted: number;
}

/** The wants of endpoints whose tenants have a rate, for one answer. They take turns, and each gets a part. */
export class TenantTurns {
  readonly #tenants = new Map<TenantShare, AskedOfTenant>();

  /** Whether the endpoint could get times, beside those of its tenant that have asked before. */
  hasTurn({ tenant }: Endpoint): boolean {
    const { perSecond = 0, asked = [] } = this.#tenants.get(tenant) ?? {};
    return asked.length === 0 || asked.length < mostOf(perSecond);
  }

  ask({ tenant }: Endpoint, wanted: WantedTimes): void {
    if (wanted.ofTenant) {
      const of = this.#tenants.get(tenant) ?? { perSecond: wanted.ofTenant.perSecond, asked: [], wanted: 0 };
      this.#tenants.set(tenant, of);
      of.asked.push(wanted);
      of.wanted += wanted.wanted;
    }
  }

  /** Gives each endpoint that has asked its part. */
  divide(): void {
    for (const { perSecond, asked } of this.#tenants.values()) {
      const part = Math.max(1, Math.floor(mostOf(perSecond) / asked.length));
      for (const one of asked) {
        one.wanted = Math.min(one.wanted, part);
      }
    }
  }

  /** Notes for each tenant whether its endpoints got less than they wanted, and whether others take its times. */
  note(granted: readonly GrantedTimes[], now: number): void {
    const found = new Map(granted.map((times) => [times.webhookId, times]));
    for (const [tenant, { asked, wanted }] of this.#tenants) {
      const got = asked.flatMap(({ webhookId }) => found.get(webhookId) ?? []);
      tenant.isScarce = got.reduce((sum, { count }) => sum + count, 0) < wanted;
      const { tenantStoodMs = 0, tenantNextMs = 0 } = got[0] ?? {};
      if (got.length > 0) {
        tenant.othersAtMs = Math.abs(tenantStoodMs - tenant.leftServerMs) < SAME_MS ? tenant.othersAtMs : now;
        tenant.leftServerMs = tenantNextMs;
        tenant.answeredAtMs = now;
      }
    }
  }
}
