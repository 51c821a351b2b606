import 'reflect-metadata';
import { Args, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { z } from 'zod';
import { KEY_LIFETIME_SECONDS_MAX, KEY_LIFETIME_SECONDS_MIN } from '../../../domain/keys/api-key.js';
import { GRANTABLE_SCOPES, isPlatformScope, PLATFORM_SCOPES, type Scope } from '../../../domain/keys/scopes.js';
import { ApiKey, activeKeys, endedKeys } from '../../../entities/api-key.js';
import { Nullable } from '../../../entities/nullable.js';
import { ApiError } from '../../../errors.js';
import { createApiKey, scopesBeyond } from '../../../operations/keys/create-api-key.js';
import { revokeApiKey } from '../../../operations/keys/revoke-api-key.js';
import { displayName } from '../../../operations/tenants/display-name.js';
import { UNFILTERED } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context, callerOf } from '../../context/context.js';
import { FilterArg, InputArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, connectionOf, pagedQuery, readConnection } from '../fields/connection.js';
import { idOf } from '../fields/ids.js';
import { apiKeyScopes, expiresInSeconds, parseInput } from '../fields/input.js';
import { NullableQuery } from '../fields/nullable.js';
import { RequiresScope, RequiresScopeOrAdmin } from '../fields/requires.js';
import { requireGranted } from './api-key-rules.js';

@InputType({ description: 'The API key to create.' })
class CreateApiKeyInput {
  @Field(() => String, { description: 'The purpose of the key: 1 to 200 characters.' })
  name!: string;

  @Field(() => [String], {
    description:
      `Scopes of the key: ${GRANTABLE_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. ` +
      'A key can grant only scopes that it has itself, and only a platform key with `platform:admin` grants `events:erase`. For a platform key, which a platform key with `platform:admin` creates without naming a tenant: ' +
      `${PLATFORM_SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
  })
  scopes!: string[];

  @Nullable(
    () => Int,
    `Lifetime in seconds: ${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX}, which is ten years. Omit for a key that does not expire. A key that expires can create only keys that expire no later. In a portal session: at most until the session ends, or its \`keysExpireInSeconds\`, which is also the default.`,
  )
  expiresInSeconds?: number | null;
}

@ObjectType({ description: 'The new API key.' })
class CreateApiKeyPayload {
  @Field(() => ApiKey, { description: 'The stored properties of the key.' })
  apiKey!: ApiKey;

  @Field(() => String, { description: 'The key itself. It is never shown again.' })
  key!: string;
}

@InputType({ description: 'The API key to revoke.' })
class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The id of the key.' })
  id!: string;
}

@ObjectType({ description: 'The revoked API key.' })
class RevokeApiKeyPayload {
  @Field(() => ApiKey, { description: 'The key after the change.' })
  apiKey!: ApiKey;
}

@InputType({ description: 'Conditions for API keys.' })
class ApiKeyFilter {
  @Nullable(() => Boolean, 'Only keys that can be used now, or only keys that were revoked or have expired.')
  active?: boolean | null;

  @Nullable(() => Boolean, 'Only sessions of people in the console, or only keys that are none.')
  consoleSession?: boolean | null;
}

const ApiKeyConnection = connectionOf(ApiKey, 'ApiKey', 'API keys');

/** A platform key that names no tenant administers platform keys. */
@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @RequiresScope('keys:admin', 'platform:read')
  @NullableQuery(
    () => ApiKeyConnection,
    "The tenant's API keys, newest first, including revoked and expired ones. For a platform key that names no tenant: the platform keys.",
  )
  apiKeys(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => ApiKeyFilter) filter: ApiKeyFilter | null,
    @Ctx() { em, tenantId }: Context,
  ): Promise<Connection<ApiKey>> {
    const conditions = { tenantId, portalId: null, ...conditionsOf(filter) };
    return readConnection('apiKeys', page, pagedQuery(em, ApiKey, conditions, UNFILTERED));
  }

  @RequiresScopeOrAdmin('keys:admin')
  @Mutation(() => CreateApiKeyPayload, { description: 'Creates an API key.' })
  async createApiKey(
    @InputArg(() => CreateApiKeyInput) input: CreateApiKeyInput,
    @Ctx() context: Context,
  ): Promise<CreateApiKeyPayload> {
    const { name, scopes, expiresInSeconds: lifetime } = parseInput(newApiKey(grantableBy(context)), input, ['input']);
    requireGrantable(context, scopes);
    return createApiKey(context.db, context.random, {
      tenantId: context.tenantId,
      name,
      scopes,
      keysMax: context.config.apiKeysPerTenantMax,
      by: actorOf(context),
      ...(typeof lifetime === 'number' ? { expiresInSeconds: lifetime } : {}),
    });
  }

  @RequiresScopeOrAdmin('keys:admin')
  @Mutation(() => RevokeApiKeyPayload, {
    description: 'Revokes an API key for good. It stops working everywhere within 5 seconds.',
  })
  async revokeApiKey(
    @InputArg(() => RevokeApiKeyInput) input: RevokeApiKeyInput,
    @Ctx() context: Context,
  ): Promise<RevokeApiKeyPayload> {
    const id = idOf('ApiKey', input.id, ['input', 'id']);
    const apiKey = await revokeApiKey(context.db, context.tenantId, id, actorOf(context));
    context.authenticator.forgetRevoked(apiKey);
    return { apiKey };
  }
}

function conditionsOf(filter: ApiKeyFilter | null) {
  const { active, consoleSession } = filter ?? {};
  return {
    ...(typeof active !== 'boolean' ? {} : active ? activeKeys() : { $or: endedKeys() }),
    ...(typeof consoleSession === 'boolean' ? { consoleSession } : {}),
  };
}

const newApiKey = (grantable: readonly Scope[]) =>
  z.object({ name: displayName, scopes: apiKeyScopes(grantable), expiresInSeconds: expiresInSeconds.nullish() });

/** The scopes that `requireGrantable` allows. */
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
      `Name the tenant of the new key in the header Hookwright-Tenant: <id>; without one only a platform key can be created, with ${PLATFORM_SCOPES.join(', ')}.`,
    );
  }
  if (context.tenantId !== null && ofPlatform.length > 0) {
    throw new ApiError('scope_missing', `The key of a tenant cannot have ${ofPlatform.join(', ')}.`);
  }
}
