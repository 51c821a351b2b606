import 'reflect-metadata';
import { Arg, Args, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import { actorOf, type Context, callerOf } from '../../context/context.js';
import { UNFILTERED } from '../../database/tenant-database.js';
import { GRANTABLE_SCOPES, isPlatformScope, PLATFORM_SCOPES, type Scope } from '../../domain/keys/scopes.js';
import { ApiKey, activeKeys, endedKeys } from '../../entities/api-key.js';
import { ApiError } from '../../errors.js';
import {
  createApiKey,
  KEY_LIFETIME_SECONDS_MAX,
  KEY_LIFETIME_SECONDS_MIN,
  scopesBeyond,
} from '../../operations/keys/create-api-key.js';
import { revokeApiKey } from '../../operations/keys/revoke-api-key.js';
import { displayName } from '../../operations/tenants/display-name.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection, sliceQuery } from '../fields/connection.js';
import { idOf } from '../fields/ids.js';
import { apiKeyScopes, expiresInSeconds, parseInput } from '../fields/input.js';
import { RequiresScope, RequiresScopeOrAdmin } from '../fields/requires.js';
import { requireGranted, requireOwnLife, secondsToGrant } from './api-key-rules.js';

@InputType({ description: 'An API key to make.' })
class CreateApiKeyInput {
  @Field(() => String, { description: 'What it is for: 1 to 200 characters.' })
  name!: string;

  @Field(() => [String], {
    description:
      `What it may do: ${GRANTABLE_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. ` +
      'A key can grant only scopes that it holds itself. For a platform key, made by one with `platform:admin` that names no tenant: ' +
      `${PLATFORM_SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
  })
  scopes!: string[];

  @Field(() => Int, {
    nullable: true,
    description: `How long it lives, in seconds: ${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX}, which is ten years. Without it the key does not expire. A key that expires can make only keys that expire no later.`,
  })
  expiresInSeconds?: number | null;
}

@ObjectType({ description: 'A new API key.' })
class CreateApiKeyPayload {
  @Field(() => ApiKey, { description: 'What is kept of it.' })
  apiKey!: ApiKey;

  @Field(() => String, { description: 'The key itself. It is never shown again.' })
  key!: string;
}

@InputType({ description: 'An API key to revoke.' })
class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The key.' })
  id!: string;
}

@ObjectType({ description: 'The revoked key.' })
class RevokeApiKeyPayload {
  @Field(() => ApiKey, { description: 'As it is now.' })
  apiKey!: ApiKey;
}

@InputType({ description: 'Which API keys.' })
class ApiKeyFilter {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only keys that can be used now, or only those that were revoked or have expired.',
  })
  active?: boolean | null;
}

const ApiKeyConnection = connectionOf(ApiKey, 'ApiKey', 'API keys');

/**
 * A platform key that names no tenant administers platform keys. Tenant keys always have a tenant, so for them
 * the tenant is never null.
 */
@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @RequiresScope('keys:admin', 'platform:read')
  @Query(() => ApiKeyConnection, {
    nullable: true,
    description:
      "The tenant's API keys, newest first, revoked and expired ones included. For a platform key that names no tenant: the platform keys.",
  })
  apiKeys(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => ApiKeyFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: ApiKeyFilter | null,
    @Ctx() { em, tenantId }: Context,
  ): Promise<Connection<ApiKey>> {
    const conditions = { tenantId, portalId: null, ...conditionsOf(filter) };
    return readConnection('apiKeys', page, (slice) => {
      const { where, options } = sliceQuery(slice);
      return em.find(ApiKey, { ...conditions, ...where }, { ...options, ...UNFILTERED });
    });
  }

  @RequiresScopeOrAdmin('keys:admin')
  @Mutation(() => CreateApiKeyPayload, { description: 'Makes an API key.' })
  async createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'What to make.' }) input: CreateApiKeyInput,
    @Ctx() context: Context,
  ): Promise<CreateApiKeyPayload> {
    const wanted = parseInput(newApiKey(grantableBy(context)), input, ['input']);
    const { name, scopes, expiresInSeconds: lifetime } = wanted;
    requireGrantable(context, scopes);
    requireOwnLife(await secondsToGrant(context), lifetime);
    const { apiKey, key } = await createApiKey(context.db, context.random, {
      tenantId: context.tenantId,
      name,
      scopes,
      keysMax: context.config.apiKeysPerTenantMax,
      by: actorOf(context),
      ...(typeof lifetime === 'number' ? { expiresInSeconds: lifetime } : {}),
    });
    return { apiKey, key };
  }

  @RequiresScopeOrAdmin('keys:admin')
  @Mutation(() => RevokeApiKeyPayload, { description: 'Revokes an API key for good, everywhere within 5 seconds.' })
  async revokeApiKey(
    @Arg('input', () => RevokeApiKeyInput, { description: 'What to do.' }) input: RevokeApiKeyInput,
    @Ctx() context: Context,
  ): Promise<RevokeApiKeyPayload> {
    const id = idOf('ApiKey', input.id, ['input', 'id']);
    const apiKey = await revokeApiKey(context.db, context.tenantId, id, actorOf(context));
    context.authenticator.forget(id);
    return { apiKey };
  }
}

function conditionsOf(filter: ApiKeyFilter | null) {
  if (typeof filter?.active !== 'boolean') {
    return {};
  }
  return filter.active ? activeKeys() : { $or: endedKeys() };
}

const newApiKey = (grantable: readonly Scope[]) =>
  z.object({ name: displayName, scopes: apiKeyScopes(grantable), expiresInSeconds: expiresInSeconds.nullish() });

/** The scopes that a new key can get from this request: `requireGrantable` refuses all others. */
function grantableBy(context: Context): readonly Scope[] {
  if (context.tenantId === null) {
    return PLATFORM_SCOPES;
  }
  const beyond = scopesBeyond(callerOf(context).scopes, GRANTABLE_SCOPES);
  return GRANTABLE_SCOPES.filter((scope) => !beyond.includes(scope));
}

/** @throws ApiError scope_missing, tenant_required */
function requireGrantable(context: Context, scopes: readonly Scope[]): void {
  requireGranted(context, scopes, 'An API key');
  const ofPlatform = scopes.filter(isPlatformScope);
  if (context.tenantId === null && ofPlatform.length < scopes.length) {
    throw new ApiError(
      'tenant_required',
      `Name the tenant of the new key in the header Hookwright-Tenant: <id>; without one only a platform key can be made, with ${PLATFORM_SCOPES.join(', ')}.`,
    );
  }
  if (context.tenantId !== null && ofPlatform.length > 0) {
    throw new ApiError('scope_missing', `The key of a tenant cannot hold ${ofPlatform.join(', ')}.`);
  }
}
