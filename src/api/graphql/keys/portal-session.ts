import 'reflect-metadata';
import { Args, Ctx, Mutation, Resolver, Root } from 'type-graphql';
import { scopesOfPortal } from '../../../domain/keys/portal-session.js';
import { hasScope } from '../../../domain/keys/scopes.js';
import { ApiKey, activeSessions, endedSessions } from '../../../entities/api-key.js';
import { ApiError } from '../../../errors.js';
import { revokeApiKey } from '../../../operations/keys/revoke-api-key.js';
import { createPortalSession } from '../../../operations/portal/create-portal-session.js';
import { UNFILTERED } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context, callerOf, tenantOf } from '../../context/context.js';
import { noSuchTenant, otherTenant, otherThanHeader } from '../../context/other-tenant.js';
import { FilterArg, InputArg } from '../fields/arguments.js';
import { baseUrlOf } from '../fields/base-url.js';
import { type Connection, ConnectionArgs, pagedQuery, readConnection } from '../fields/connection.js';
import { idOf } from '../fields/ids.js';
import { parseInput } from '../fields/input.js';
import { knownReleaseIn } from '../fields/known-event-type.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { Requires, RequiresScope } from '../fields/requires.js';
import { tenantIn } from '../fields/tenant-in.js';
import { requireGranted } from './api-key-rules.js';
import { portalSessionInput } from './portal-session-input.js';
import {
  CreatePortalSessionInput,
  CreatePortalSessionPayload,
  PortalSession,
  PortalSessionConnection,
  PortalSessionFilter,
  portalSessionOf,
  RevokePortalSessionInput,
  RevokePortalSessionPayload,
} from './portal-session-types.js';

@Resolver(() => PortalSession)
export class PortalSessionResolver {
  @Requires('keys:admin', 'platform:read')
  @NullableQuery(
    () => PortalSessionConnection,
    "The tenant's portal sessions, newest first, including revoked and expired ones.",
  )
  portalSessions(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => PortalSessionFilter) filter: PortalSessionFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<PortalSession>> {
    const read = pagedQuery(context.em, ApiKey, conditionsOf(filter));
    return readConnection('portalSessions', page, async (slice) =>
      (await read(slice)).map((key) => portalSessionOf(key, context.clock())),
    );
  }

  @RequiresScope('keys:admin')
  @Mutation(() => CreatePortalSessionPayload, {
    description: 'Creates a portal session: a link by which a person manages webhooks of the tenant in a browser.',
  })
  async createPortalSession(
    @InputArg(() => CreatePortalSessionInput) { tenantId: named, ...input }: CreatePortalSessionInput,
    @Ctx() context: Context,
  ): Promise<CreatePortalSessionPayload> {
    const base = portalUrlOf(context);
    const tenantId = await tenantNamed(context, named);
    const { expiresInSeconds, ...settings } = parseInput(portalSessionInput, input, ['input']);
    await knownReleaseIn(context, settings.release, ['input', 'release']);
    const isInvitation = settings.invitationDays !== null;
    if (isInvitation) {
      requireInviter(context);
    }
    requireGranted(context, scopesOfPortal(settings.capabilities), 'A portal session');
    const { apiKey, publicId, code } = await createPortalSession(context.db, context.random, {
      tenantId,
      expiresInSeconds: expiresInSeconds ?? undefined,
      settings,
      by: actorOf(context),
    });
    return {
      url: `${base}/portal/${isInvitation ? 'i' : 's'}/${publicId}#${code}${settings.path ?? ''}`,
      session: portalSessionOf(apiKey, context.clock()),
    };
  }

  @Requires('keys:admin')
  @Mutation(() => RevokePortalSessionPayload, {
    description: 'Revokes a portal session for good. It stops working everywhere within 5 seconds.',
  })
  async revokePortalSession(
    @InputArg(() => RevokePortalSessionInput) input: RevokePortalSessionInput,
    @Ctx() context: Context,
  ): Promise<RevokePortalSessionPayload> {
    const id = idOf('PortalSession', input.id, ['input', 'id']);
    const apiKey = await revokeApiKey(context.db, tenantOf(context), id, actorOf(context), 'portal');
    context.authenticator.forgetRevoked(apiKey);
    return { session: portalSessionOf(apiKey, context.clock()) };
  }

  @NullableResolver(
    () => String,
    'The name of that key. Null without `keys:admin`, and for the name of a platform key, which only platform keys see.',
  )
  async createdByName(@Root() { createdByKeyId }: PortalSession, @Ctx() context: Context): Promise<string | null> {
    const { scopes } = callerOf(context);
    if (createdByKeyId === null || !(hasScope(scopes, 'keys:admin') || hasScope(scopes, 'platform:read'))) {
      return null;
    }
    return (await context.loaders.apiKeyById.load(createdByKeyId))?.name ?? null;
  }
}

/** An invitation may outlive its maker, so only the operator's own people make any. @throws ApiError scope_missing */
function requireInviter(context: Context): void {
  const { tenantId, scopes } = callerOf(context);
  if (tenantId !== null || !hasScope(scopes, 'platform:support')) {
    const detail =
      'Only a platform key with platform:support can invite. Leave out invitationDays for a link of a minute.';
    throw new ApiError('scope_missing', detail);
  }
}

function conditionsOf(filter: PortalSessionFilter | null) {
  if (typeof filter?.active !== 'boolean') {
    return { portalId: { $ne: null } };
  }
  return filter.active ? activeSessions() : endedSessions();
}

/** Reads the sessions of the tenant with these numbers. */
export async function readPortalSessions({ em, tenantId, clock }: Context, ids: number[]): Promise<PortalSession[]> {
  const keys = await em.find(ApiKey, { id: { $in: ids }, tenantId, portalId: { $ne: null } }, UNFILTERED);
  return keys.map((key) => portalSessionOf(key, clock()));
}

/**
 * @returns scheme, host and port under which browsers reach the portal
 * @throws ApiError unavailable, header_malformed
 */
function portalUrlOf(context: Context): string {
  if (!context.config.dashboard) {
    throw new ApiError('unavailable', 'This service has no portal: it runs with DASHBOARD=off.');
  }
  return baseUrlOf(context, 'The url of a session');
}

/** @throws ApiError scope_missing, invalid_input, tenant_required; not_found for a text that names no tenant */
async function tenantNamed(context: Context, named: string | null | undefined): Promise<number> {
  if (typeof named !== 'string') {
    return tenantOf(context);
  }
  const path = ['input', 'tenantId'];
  const id = await tenantIn(context, named, path);
  if (id === null) {
    throw noSuchTenant(named);
  }
  if (context.tenantId === null || id === context.tenantId) {
    return id;
  }
  if (callerOf(context).tenantId !== null) {
    throw otherTenant('tenantId');
  }
  throw otherThanHeader(context.tenantId, path);
}
