import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { tenantEntityManager } from '../database/tenant-database.js';
import { readId } from '../domain/ids/global-id.js';
import { capabilityWith } from '../domain/keys/portal-session.js';
import { holdsScope, type Scope, scopesWith } from '../domain/keys/scopes.js';
import { AuditActor } from '../entities/audit-entry.js';
import { ApiError, keyRequired, notFound } from '../errors.js';
import type { ChangeFeed } from '../live/change-feed.js';
import type { Emitter } from '../operations/emits/emit-events.js';
import type { EmitTrouble } from '../operations/emits/emit-trouble.js';
import type { EventTypeRegistry } from '../operations/event-types/event-type-registry.js';
import type { SearchSlots } from '../operations/explorer/search.js';
import type { Authenticator, Caller } from '../operations/keys/authenticate.js';
import type { Actor } from '../operations/rows/audit.js';
import type { SecretVault } from '../operations/secrets/secret-vault.js';
import type { PlatformAccess } from '../operations/tenants/platform-access.js';
import type { Config } from '../settings/config.js';
import type { ApiMetrics } from '../telemetry/api-metrics.js';
import type { Span, Tracing } from '../telemetry/tracing.js';
import { AnswerBudget } from './answer-budget.js';
import type { BytesUnderWay } from './bytes-under-way.js';
import { createLoaders, type Loaders } from './loaders.js';
import type { RateLimits } from './rate-limits.js';

export type { Caller } from '../operations/keys/authenticate.js';

/** What every request of a process shares. */
export interface Services {
  config: Config;
  db: Database;
  emitter: Emitter;
  emitTrouble: EmitTrouble;
  vault: SecretVault;
  authenticator: Authenticator;
  platformAccess: PlatformAccess;
  rateLimits: RateLimits;
  eventTypes: EventTypeRegistry;
  changes: ChangeFeed;
  searches: SearchSlots;
  answersUnderWay: BytesUnderWay;
  bodiesUnderWay: BytesUnderWay;
  clock: () => Date;
  random: (bytes: number) => Buffer;
  log: Logger;
  metrics: ApiMetrics;
  /** Null: no traces are made. */
  tracing: Tracing | null;
}

/** One request: who asks, for which tenant, and with what. */
export interface Context extends Services {
  /** Null without an API key. */
  caller: Caller | null;
  /** The tenant that is acted for; null without a key, and for a platform key that names none. */
  tenantId: number | null;
  requestId: string;
  /** Where the request comes from. */
  address: string;
  /** Scheme, host and port that the request was sent to, as its header Host has them; null where nobody needs it. */
  origin: string | null;
  /** Of a subscription: the cursor in the header `Last-Event-ID`. */
  lastEventId?: string | undefined;
  /** Of the request, where there are traces. */
  span: Span | undefined;
  /** Made at its first use, with tenant filter and row-level security set: an emit needs none. */
  readonly em: EntityManager;
  readonly loaders: Loaders;
  /** What the answer may still have of long texts. */
  readonly budget: AnswerBudget;
}

interface ContextRequest {
  /** The header `Authorization`. */
  authorization?: string | undefined;
  /** The header `Hookwright-Tenant`: the tenant that a platform key acts for, by its number or its global id. */
  tenantHeader?: string | undefined;
  requestId: string;
  /** Where the request comes from: bad keys are limited by it. */
  address: string;
  /** Scheme, host and port that the request was sent to. */
  origin?: string;
  span?: Span | undefined;
  /** How much text the answer may have. Default: GRAPHQL_ANSWER_BYTES_MAX. */
  answerBytesMax?: number;
}

/**
 * Finds out who asks and for whom. A request without a key is no error here: it may ask for the schema.
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
  if (caller?.tenantId === null && tenantId !== null) {
    await services.platformAccess.note(tenantId, actorFrom(caller, request.requestId));
  }
  return new (contextClassOf(services))(caller, tenantId, request);
}

/** Has all that services have, on the prototype of a subclass: nobody can list them twice and forget one. */
const WithServices = class {} as new () => Services;

/**
 * A class, so that the lazy members are the prototype's: nothing that looks at a context's own members makes an
 * EntityManager for an emit, which needs none. Apollo copies the own members for each operation, so they are few.
 */
class RequestContext extends WithServices implements Context {
  private madeEm: EntityManager | undefined;
  private madeLoaders: Loaders | undefined;
  readonly requestId: string;
  readonly address: string;
  readonly origin: string | null;
  readonly span: Span | undefined;
  readonly budget: AnswerBudget;

  constructor(
    readonly caller: Caller | null,
    readonly tenantId: number | null,
    { requestId, address, origin, span, answerBytesMax }: ContextRequest,
  ) {
    super();
    const bytesMax = answerBytesMax ?? this.config.limits.graphql.answerBytesMax;
    this.budget = new AnswerBudget(bytesMax, this.answersUnderWay, tenantId);
    this.requestId = requestId;
    this.address = address;
    this.origin = origin ?? null;
    this.span = span;
  }

  get em(): EntityManager {
    this.madeEm ??= tenantEntityManager(this.db.orm.em, this.tenantId);
    return this.madeEm;
  }

  get loaders(): Loaders {
    this.madeLoaders ??= createLoaders(this);
    return this.madeLoaders;
  }
}

const contextClasses = new WeakMap<Services, typeof RequestContext>();

function contextClassOf(services: Services): typeof RequestContext {
  let found = contextClasses.get(services);
  if (found === undefined) {
    found = class extends RequestContext {};
    Object.assign(found.prototype, services);
    contextClasses.set(services, found);
  }
  return found;
}

function actorFrom({ tenantId, keyId, isPortalSession }: Caller, requestId: string): Actor {
  const ofTenant = isPortalSession ? AuditActor.PORTAL_SESSION : AuditActor.TENANT_KEY;
  return { kind: tenantId === null ? AuditActor.PLATFORM_KEY : ofTenant, keyId, requestId };
}

/** Who does what this request does, for the audit log. @throws ApiError unauthenticated */
export const actorOf = (context: Context): Actor => actorFrom(callerOf(context), context.requestId);

/** A tenant that the key may not name counts as an operation of the key: else any number of them could be tried. */
async function chargedTenantNamed(
  services: Services,
  caller: Caller,
  header: string | undefined,
): Promise<number | null> {
  try {
    return await tenantNamed(services, caller, header);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    services.rateLimits.requireNoDebt(caller);
    const limits = services.rateLimits.chargeBroken(caller);
    throw new ApiError(error.reason, error.detail, { ...error.extra, limits });
  }
}

async function tenantNamed(services: Services, caller: Caller, header: string | undefined): Promise<number | null> {
  if (header === undefined || header === '') {
    return caller.tenantId;
  }
  const read = readId('Tenant', header);
  const named = typeof read === 'number' ? read : null;
  if (caller.tenantId !== null) {
    if (named !== caller.tenantId) {
      throw otherTenant('the header Hookwright-Tenant');
    }
    return caller.tenantId;
  }
  if (named === null || !(await services.authenticator.tenantExists(named))) {
    throw notFound('tenant', named ?? 'with such an id');
  }
  return named;
}

/** @throws ApiError unauthenticated when the request carries no key */
export function callerOf(context: Context): Caller {
  if (context.caller === null) {
    throw keyRequired();
  }
  return context.caller;
}

/**
 * Requires one of the scopes, or one that has it.
 *
 * @throws ApiError unauthenticated, scope_missing
 */
export function requireScope(context: Context, ...anyOf: readonly Scope[]): void {
  const { scopes, isPortalSession, tenantId } = callerOf(context);
  if (anyOf.some((scope) => holdsScope(scopes, scope))) {
    return;
  }
  const capability = isPortalSession ? capabilityWith(anyOf) : null;
  throw new ApiError(
    'scope_missing',
    capability === null
      ? `This needs an API key with the scope ${scopesWith(anyOf, tenantId !== null).join(' or ')}.`
      : `This portal session was made without the capability ${capability}, which this needs.`,
  );
}

/**
 * The tenant to act for.
 *
 * @throws ApiError unauthenticated; tenant_required when a platform key names none
 */
export function tenantOf(context: Context): number {
  callerOf(context);
  if (context.tenantId === null) {
    throw new ApiError('tenant_required', 'A platform key names the tenant in the header Hookwright-Tenant: <id>.');
  }
  return context.tenantId;
}

/** @param where the request names the tenant */
export function otherTenant(where: string): ApiError {
  return new ApiError('scope_missing', `An API key acts for its own tenant only; ${where} names another one.`);
}
