import { type RequestLimits, UNLIMITED_REQUESTS } from '../../src/domain/limits/tenant-limits.js';
import { permitsOf } from '../../src/domain/pacing/endpoint-window.js';
import type { EndpointState } from '../../src/operations/attempts/endpoint-states.js';
import type { EndpointRules } from './allowance.js';
import { Endpoint } from './endpoint.js';
import type { Candidate } from './entry.js';
import { Share, Shares, TenantShare } from './shares.js';

const IDLE_ENDPOINTS_MAX = 10_000;

/** The endpoints that this daemon knows, one for each webhook. */
export class Endpoints {
  readonly #endpoints = new Map<number, Endpoint>();
  /** By tenant and origin. */
  readonly #origins = new Shares<string>(Share);
  readonly #tenants = new Shares<number, TenantShare>(TenantShare);
  #limits: ReadonlyMap<number, RequestLimits> = new Map();

  /** @param onForgotten called before an endpoint is left alone */
  constructor(
    private readonly rules: EndpointRules,
    private readonly onForgotten: (endpoint: Endpoint) => void,
  ) {}

  /** @param limits of all tenants that have any. @returns the endpoints, which they may concern */
  limit(limits: ReadonlyMap<number, RequestLimits>): MapIterator<Endpoint> {
    this.#limits = limits;
    for (const { tenant, tenantId } of this.values()) {
      tenant.limits = limits.get(tenantId) ?? UNLIMITED_REQUESTS;
    }
    return this.values();
  }

  get limitedTenants(): number {
    return this.#limits.size;
  }

  values(): MapIterator<Endpoint> {
    return this.#endpoints.values();
  }

  at(candidate: Candidate, origin: string): Endpoint {
    const endpoint = this.#find(candidate, origin);
    endpoint.contents = candidate.content === null ? null : endpoint.tenant.contents;
    return endpoint;
  }

  #find({ webhookId, tenantId, url }: Candidate, origin: string): Endpoint {
    const known = this.#endpoints.get(webhookId);
    if (known?.tenantId === tenantId && known.url === url) {
      return known;
    }
    // A webhook that moved to another url is a new endpoint: what was learnt of the old one says nothing of it.
    if (known !== undefined) {
      this.#forget(known);
    }
    this.#forgetIdle();
    const ofOrigin = this.#origins.join(`${tenantId} ${origin}`);
    const ofTenant = this.#tenants.join(tenantId);
    ofTenant.limits = this.#limits.get(tenantId) ?? UNLIMITED_REQUESTS;
    const endpoint = new Endpoint(webhookId, tenantId, url, ofOrigin, ofTenant, this.rules);
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  states(): EndpointState[] {
    return [...this.values()].map((endpoint) => ({
      webhookId: endpoint.webhookId,
      tenantId: endpoint.tenantId,
      window: permitsOf(endpoint.window),
      inFlight: endpoint.inFlight,
      waiting: endpoint.room.size,
      due: endpoint.due,
      putOffs: endpoint.putOffs,
      meanMs: endpoint.window.meanMs,
    }));
  }

  #forgetIdle(): void {
    for (const endpoint of this.#endpoints.values()) {
      if (this.#endpoints.size < IDLE_ENDPOINTS_MAX) {
        return;
      }
      if (endpoint.inFlight === 0 && endpoint.room.size === 0 && endpoint.backlog.size === 0) {
        this.#forget(endpoint);
      }
    }
  }

  #forget(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint.webhookId);
    endpoint.backlog.clear();
    this.onForgotten(endpoint);
    endpoint.tenant.leave();
    endpoint.origin.leave();
  }
}
