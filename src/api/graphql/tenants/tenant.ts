import 'reflect-metadata';
import { Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { tenantFields } from '../../../domain/fields/tenant-fields.js';
import { INSTALLATION_TENANT } from '../../../domain/installation/installation-tenant.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import { type NewTenantSettings, Tenant } from '../../../entities/tenant.js';
import { found, refusedInput } from '../../../errors.js';
import { externalId as externalIdRule, knownOf } from '../../../operations/fields/kind-rules.js';
import { changedValues, newValues } from '../../../operations/fields/rules.js';
import { hasLimits } from '../../../operations/tenants/change-limits.js';
import { createTenant } from '../../../operations/tenants/create-tenant.js';
import { deleteTenant } from '../../../operations/tenants/delete-tenant.js';
import { displayName } from '../../../operations/tenants/display-name.js';
import { searchTenants } from '../../../operations/tenants/search-tenants.js';
import { updateTenant } from '../../../operations/tenants/update-tenant.js';
import { tenantEntityManager, UNFILTERED } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context } from '../../context/context.js';
import { boundsOf } from '../deliveries/delivery.js';
import { ExternalIdArg, FilterArg, InputArg, OneIdArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, connectionOf, pagedQuery, readConnection } from '../fields/connection.js';
import { Taken } from '../fields/field-types.js';
import { ANOTHER_ID, idOf, oneIdOf } from '../fields/ids.js';
import { containing, parseInput, searchText } from '../fields/input.js';
import { NullableQuery } from '../fields/nullable.js';
import { requireNewDaemons } from '../fields/older-daemons.js';
import { RequiresScope } from '../fields/requires.js';
import { requireSigning, signingKeyFor } from './signing-keys.js';

@InputType({ description: 'Conditions for tenants.' })
class TenantFilter {
  @Nullable(() => String, 'Only the tenant with exactly this name.')
  name?: string | null;

  @Nullable(() => String, 'Only the tenant with exactly this external id.')
  externalId?: string | null;

  @Nullable(
    () => String,
    'Only tenants whose name contains this text, ignoring case, or whose external id is this text: 1 to 200 characters.',
  )
  search?: string | null;
}

@InputType({ description: 'The tenant to create.' })
@Taken(tenantFields, 'new')
class CreateTenantInput {
  @Field(() => String, { description: 'The name: 1 to 200 characters, unique in this installation.' })
  name!: string;
}

@ObjectType({ description: 'The new tenant.' })
class CreateTenantPayload {
  @Field(() => Tenant, {
    description: 'The new tenant. It has no keys yet: create one with `createApiKey` on its behalf.',
  })
  tenant!: Tenant;
}

@InputType({ description: 'Changes of a tenant. Fields that are left out stay as they are.' })
@Taken(tenantFields, 'change')
class UpdateTenantInput {
  @Field(() => ID, { description: 'The id of the tenant.' })
  id!: string;

  @Nullable(() => String, 'The new name: 1 to 200 characters, unique in this installation.')
  name?: string | null;
}

@ObjectType({ description: 'The changed tenant.' })
class UpdateTenantPayload {
  @Field(() => Tenant, { description: 'The tenant after the change.' })
  tenant!: Tenant;
}

@InputType({ description: 'The tenant to delete.' })
class DeleteTenantInput {
  @Field(() => ID, { description: 'The id of the tenant.' })
  id!: string;

  @Field(() => String, { description: 'The name of the tenant, as a protection against mistakes.' })
  name!: string;
}

@ObjectType({ description: 'The deleted tenant.' })
class DeleteTenantPayload {
  @ShowsIdOf('Tenant', { description: 'The id of the deleted tenant. It is never used again.' })
  deletedTenantId!: number;
}

const TenantConnection = connectionOf(Tenant, 'Tenant', 'tenants');

const forPlatformKeys = 'For platform keys only.';

@Resolver()
export class TenantResolver {
  @RequiresScope('platform:read')
  @NullableQuery(() => TenantConnection, `The tenants of this installation, newest first. ${forPlatformKeys}`)
  tenants(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => TenantFilter) filter: TenantFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Tenant>> {
    const name = parseInput(displayName.nullish(), filter?.name, ['filter', 'name']);
    const search = parseInput(searchText, filter?.search, ['filter', 'search']);
    const externalId = parseInput(externalIdRule.nullish(), filter?.externalId, ['filter', 'externalId']);
    const isSearch = typeof name !== 'string' && typeof externalId !== 'string';
    if (typeof search === 'string' && isSearch) {
      return readConnection('tenants', page, (slice) => searchTenants(context.db, search, boundsOf(slice, null)));
    }
    const conditions = [
      ...(typeof name === 'string' ? [{ name }] : []),
      ...(typeof externalId === 'string' ? [{ externalId }] : []),
      ...(typeof search === 'string' ? [{ $or: [{ name: containing(search) }, { externalId: search }] }] : []),
    ];
    const existing = { ...notDeleted, $and: [isListed, ...conditions] };
    return readConnection('tenants', page, pagedQuery(all(context), Tenant, existing, UNFILTERED));
  }

  @RequiresScope('platform:read')
  @NullableQuery(() => Tenant, `One tenant. Null with NOT_FOUND when it does not exist. ${forPlatformKeys}`)
  async tenant(
    @OneIdArg() id: string | null,
    @ExternalIdArg() externalId: string | null,
    @Ctx() context: Context,
  ): Promise<Tenant> {
    const by = oneIdOf('Tenant', id, externalId);
    const tenant = await all(context).findOne(Tenant, { ...by, ...notDeleted }, UNFILTERED);
    if (tenant === null && by.id !== undefined) {
      throw await context.authenticator.missingTenant(by.id);
    }
    return found(tenant, 'tenant', ANOTHER_ID);
  }

  @RequiresScope('platform:admin')
  @Mutation(() => CreateTenantPayload, { description: `Creates a tenant. ${forPlatformKeys}` })
  async createTenant(
    @InputArg(() => CreateTenantInput) input: CreateTenantInput,
    @Ctx() context: Context,
  ): Promise<CreateTenantPayload> {
    const name = parseInput(displayName, input.name, ['input', 'name']);
    const settings = parseInput(newValues(tenantFields, knownOf(context.config)), input, ['input']);
    requireSigning(context, settings);
    requireShorter(context, settings);
    await requireNewDaemons(context, tenantFields, settings);
    return { tenant: await createTenant(context.db, context.vault, name, actorOf(context), settings) };
  }

  @RequiresScope('platform:admin')
  @Mutation(() => UpdateTenantPayload, {
    description: `Changes a tenant. Its webhooks follow its delivery defaults within seconds, and all processes its limits. ${forPlatformKeys}`,
  })
  async updateTenant(
    @InputArg(() => UpdateTenantInput) input: UpdateTenantInput,
    @Ctx() context: Context,
  ): Promise<UpdateTenantPayload> {
    const id = idOf('Tenant', input.id, ['input', 'id']);
    const given = parseInput(displayName.nullish(), input.name, ['input', 'name']);
    const settings = parseInput(changedValues(tenantFields, knownOf(context.config)), input, ['input']);
    const change = { ...(given == null ? {} : { name: given }), ...settings };
    if (Object.keys(change).length === 0) {
      const detail = 'must have at least one of name, externalId, retentionDays, deliveryDefaults and limits';
      throw refusedInput([], 'nothing_to_change', detail);
    }
    requireShorter(context, settings);
    await requireNewDaemons(context, tenantFields, settings);
    const signingKey = await signingKeyFor(context, id, settings);
    const tenant = await updateTenant(context.db, id, change, actorOf(context), signingKey);
    if ('externalId' in change || hasLimits(change)) {
      context.authenticator.forgetTenant(id);
    }
    return { tenant };
  }

  @RequiresScope('platform:admin')
  @Mutation(() => DeleteTenantPayload, {
    description:
      'Deletes a tenant for good. Its keys stop working everywhere within 5 seconds, its webhooks are deleted and open deliveries are canceled. ' +
      `Its events and deliveries are no longer accessible, and are erased when their retention time ends. ${forPlatformKeys}`,
  })
  async deleteTenant(
    @InputArg(() => DeleteTenantInput) input: DeleteTenantInput,
    @Ctx() context: Context,
  ): Promise<DeleteTenantPayload> {
    const tenantId = idOf('Tenant', input.id, ['input', 'id']);
    const name = parseInput(displayName, input.name, ['input', 'name']);
    const { authenticator } = context;
    const { apiKeyIds } = await deleteTenant(context.db, { tenantId, name }, actorOf(context));
    authenticator.forgetTenant(tenantId);
    for (const keyId of apiKeyIds) {
      authenticator.forget(keyId);
    }
    return { deletedTenantId: tenantId };
  }
}

/** A retention of a tenant is shorter than that of all. @throws ApiError invalid_input */
function requireShorter({ config }: Context, { retentionDays }: Pick<NewTenantSettings, 'retentionDays'>): void {
  if (retentionDays != null && retentionDays >= config.retentionDays) {
    const detail = `must be less than ${config.retentionDays}, for which payloads of all tenants are kept (RETENTION_DAYS)`;
    throw refusedInput(['retentionDays'], 'retention_out_of_range', detail);
  }
}

/** A tenant that has moved to another cell is listed there. */
const notDeleted = { deletedAt: null, $or: [{ moving: null }, { moving: { $ne: 'GONE' } }] };
/** Not that of the installation. */
const isListed = { id: { $gt: INSTALLATION_TENANT } };

/** Reads all tenants, even if the header Hookwright-Tenant names one. */
const all = ({ db }: Context) => tenantEntityManager(db.orm.em, null);
