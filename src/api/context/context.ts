import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { markedExternalId } from '../../domain/ids/external-id.js';
import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { capabilityWith } from '../../domain/keys/portal-session.js';
import { hasScope, PLATFORM_ADMIN, type Scope, scopesWith } from '../../domain/keys/scopes.js';
import { AuditActor } from '../../entities/audit-entry.js';
import { ApiError, keyRequired } from '../../errors.js';
import type { Emitter } from '../../operations/emits/emit-events.js';
import type { EmitTrouble } from '../../operations/emits/emit-trouble.js';
import type { EventTypeCatalogue } from '../../operations/event-types/installation-types.js';
import type { SearchSlots } from '../../operations/explorer/search.js';
import type { Authenticator, Caller } from '../../operations/keys/authenticate.js';
import type { Conversions } from '../../operations/releases/conversions.js';
import type { Releases } from '../../operations/releases/releases.js';
import type { Actor } from '../../operations/rows/audit.js';
import type { SecretVault } from '../../operations/secrets/secret-vault.js';
import type { PlatformAccess } from '../../operations/tenants/platform-access.js';
import type { Database } from '../../platform/database/database.js';
import { Moment } from '../../platform/database/moment.js';
import { tenantEntityManager } from '../../platform/database/tenant-database.js';
import type { Config } from '../../platform/settings/config.js';
import type { ApiMetrics } from '../../platform/telemetry/api-metrics.js';
import type { Span, Tracing } from '../../platform/telemetry/tracing.js';
import type { ChangeFeed } from '../live/change-feed.js';
import type { EventLeases } from './event-leases.js';
import { requireOfInstallation, typesOfInstallation } from './installation.js';
import { createLoaders, type Loaders } from './loaders.js';
import { AnswerBudget, type MemoryBudget } from './memory-budget.js';
import type { RateLimits } from './rate-limits.js';
import { tenantNamed } from './tenant-named.js';

export type { Caller } from '../../operations/keys/authenticate.js';

/** The services that all requests of a process share. */
export interface Services {
  config: Config;
  db: Database;
  emitter: Emitter;
  emitTrouble: EmitTrouble;
  vault: SecretVault;
  authenticator: Authenticator;
  platformAccess: PlatformAccess;
  rateLimits: RateLimits;
  eventLeases: EventLeases;
  eventTypes: EventTypeCatalogue;
  releases: Releases;
  conversions: Conversions;
  changes: ChangeFeed;
  searches: SearchSlots;
  answerMemory: MemoryBudget;
  bodyMemory: MemoryBudget;
  clock: () => Date;
  random: (bytes: number) => Buffer;
  log: Logger;
  metrics: ApiMetrics;
  /** Null when traces are off. */
  tracing: Tracing | null;
}

interface ContextRequest {
  /** The header `Authorization`. */
  authorization?: string | undefined;
  /**
   * The header `Hookwright-Tenant`: the number, the global id, or `ext:` and the external id of the tenant that a
   * platform key acts for, or `installation`.
   */
  tenantHeader?: string | undefined;
  requestId: string;
  /** The address of the client, which limits bad keys. */
  address: string;
  origin?: string;
  span?: Span | undefined;
  /** Default: GRAPHQL_ANSWER_BYTES_MAX. */
  answerBytesMax?: number | undefined;
}

/**
 * Finds the caller and the tenant of a request. A request without a key may ask for the schema, so it is not an error.
 *
 * @throws ApiError unauthenticated for a bad key, scope_missing when a tenant's key names another tenant,
 *   not_found when a platform key names a tenant that does not exist, rate_limited
 */
export async function createContext(services: Services, request: ContextRequest): Promise<Context> {
  const caller =
    request.authorization === undefined
      ? null
      : await services.authenticator.authenticate(request.authorization, request.address);
  const tenantId = caller === null ? null : await chargedTenantNamed(services, caller, request.tenantHeader);
  if (caller?.tenantId === null && tenantId !== null && tenantId !== INSTALLATION_TENANT) {
    await services.platformAccess.note(tenantId, actorFrom(caller, request.requestId));
  }
  return new (contextClassOf(services))(caller, tenantId, request);
}

const WithServices = class {} as new () => Services;

/** Services and lazy members are on the prototype: Apollo copies the own members of a context for each operation. */
export class Context extends WithServices {
  readonly requestId: string;
  readonly address: string;
  /** Scheme, host and port from the header Host. Null where nothing needs it. */
  readonly origin: string | null;
  /** Undefined when traces are off. */
  readonly span: Span | undefined;
  readonly budget: AnswerBudget;
  /** The cursor of a subscription in the header `Last-Event-ID`. */
  declare lastEventId?: string | undefined;
  // Not #private, which Apollo cannot copy.
  private madeEm: EntityManager | undefined;
  private madeLoaders: Loaders | undefined;

  /**
   * @param caller null without an API key
   * @param tenantId null without a key, and for a platform key that names no tenant
   * @throws ApiError scope_missing when it acts for the installation without `platform:admin`
   */
  constructor(
    readonly caller: Caller | null,
    readonly tenantId: number | null,
    { requestId, address, origin, span, answerBytesMax }: ContextRequest,
  ) {
    super();
    const bytesMax = answerBytesMax ?? this.config.limits.graphql.answerBytesMax;
    this.budget = new AnswerBudget(bytesMax, this.answerMemory, tenantId);
    if (tenantId === INSTALLATION_TENANT) {
      requireScope(this, PLATFORM_ADMIN);
      this.eventTypes = typesOfInstallation(this.eventTypes);
    }
    this.requestId = requestId;
    this.address = address;
    this.origin = origin ?? null;
    this.span = span;
  }

  /** Filters by the tenant. Made at the first use, because emits need none. */
  get em(): EntityManager {
    this.madeEm ??= tenantEntityManager(this.db.orm.em, this.tenantId);
    return this.madeEm;
  }

  /**
   * All reads of this context see one moment from now on, which must be ended. It is the context of a query that has
   * read nothing yet.
   */
  async beginMoment(tenantId: number): Promise<Moment> {
    const { searches } = this;
    const moment = await Moment.begin(this.db, tenantId, (work) => searches.runQuery(tenantId, work));
    this.db = moment.db;
    this.searches = searches.within;
    this.madeEm = moment.em;
    this.madeLoaders = undefined;
    return moment;
  }

  /**
   * Executes a query with a context of its own, whose reads see one moment.
   *
   * @param readsOfRows false: one statement reads everything, or each read is of another thing
   */
  async atOneMoment<Result>(readsOfRows: boolean, work: (context: Context) => Promise<Result>): Promise<Result> {
    if (!readsOfRows || this.tenantId === null) {
      return work(this);
    }
    const own: Context = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    const moment = await own.beginMoment(this.tenantId);
    try {
      return await work(own);
    } finally {
      void moment.end();
    }
  }

  get loaders(): Loaders {
    this.madeLoaders ??= createLoaders(this);
    return this.madeLoaders;
  }
}

const contextClasses = new WeakMap<Services, typeof Context>();

function contextClassOf(services: Services): typeof Context {
  let found = contextClasses.get(services);
  if (found === undefined) {
    found = class extends Context {};
    Object.assign(found.prototype, services);
    contextClasses.set(services, found);
  }
  return found;
}

function actorFrom({ tenantId, keyId, isPortalSession }: Caller, requestId: string): Actor {
  const ofTenant = isPortalSession ? AuditActor.PORTAL_SESSION : AuditActor.TENANT_KEY;
  return { kind: tenantId === null ? AuditActor.PLATFORM_KEY : ofTenant, keyId, requestId };
}

/** The actor of this request in the audit log. @throws ApiError unauthenticated */
export const actorOf = (context: Context): Actor => actorFrom(callerOf(context), context.requestId);

/** Naming a wrong tenant counts as an operation of the key, so that a key cannot try many tenants. */
async function chargedTenantNamed(
  services: Services,
  caller: Caller,
  header: string | undefined,
): Promise<number | null> {
  if (markedExternalId(header ?? '') !== null) {
    services.rateLimits.requireNoDebt(caller); // an external id costs a query, and there are many to try
  }
  try {
    return await tenantNamed(services.authenticator, caller, header);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    services.rateLimits.requireNoDebt(caller);
    const limits = services.rateLimits.chargeBroken(caller);
    throw new ApiError(error.reason, error.detail, { ...error.extra, limits });
  }
}

/** @throws ApiError unauthenticated when the request carries no key */
export function callerOf(context: Context): Caller {
  if (context.caller === null) {
    throw keyRequired();
  }
  return context.caller;
}

/** @throws ApiError unauthenticated; scope_missing without one of the scopes, or a scope that includes it */
export function requireScope(context: Context, ...anyOf: readonly Scope[]): void {
  const { scopes, isPortalSession, tenantId } = callerOf(context);
  if (anyOf.some((scope) => hasScope(scopes, scope))) {
    if (context.tenantId === INSTALLATION_TENANT) {
      requireOfInstallation(anyOf);
    }
    return;
  }
  const capability = isPortalSession ? capabilityWith(anyOf) : null;
  throw new ApiError(
    'scope_missing',
    capability === null
      ? `This needs an API key with the scope ${scopesWith(anyOf, tenantId !== null).join(' or ')}.`
      : `This needs the capability ${capability}, which this portal session does not have.`,
  );
}

/** @throws ApiError unauthenticated; tenant_required when a platform key names none */
export function tenantOf(context: Context): number {
  callerOf(context);
  if (context.tenantId === null) {
    throw new ApiError('tenant_required', 'A platform key names the tenant in the header Hookwright-Tenant: <id>.');
  }
  return context.tenantId;
}

/** @throws ApiError as `tenantOf` does */
export function requireTenant(context: Context): void {
  tenantOf(context);
}
