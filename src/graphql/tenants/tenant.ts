import 'reflect-metadata';
import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { actorOf, type Context } from '../../context/context.js';
import { tenantEntityManager, UNFILTERED } from '../../database/tenant-database.js';
import { ShowsIdOf } from '../../entities/node.js';
import { Tenant } from '../../entities/tenant.js';
import { createTenant } from '../../operations/tenants/create-tenant.js';
import { deleteTenant } from '../../operations/tenants/delete-tenant.js';
import { displayName } from '../../operations/tenants/display-name.js';
import { updateTenant } from '../../operations/tenants/update-tenant.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection, sliceQuery } from '../fields/connection.js';
import { found, idOf } from '../fields/ids.js';
import { containing, parseInput, searchText } from '../fields/input.js';
import { RequiresPlatformKey } from '../fields/requires.js';

@InputType({ description: 'Which tenants.' })
class TenantFilter {
  @Field(() => String, { nullable: true, description: 'Only the one of exactly this name.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only those whose name has this text in it, whatever its case: 1 to 200 characters.',
  })
  search?: string | null;
}

@InputType({ description: 'A tenant to make.' })
class CreateTenantInput {
  @Field(() => String, { description: '1 to 200 characters, unique in this installation.' })
  name!: string;
}

@ObjectType({ description: 'The new tenant.' })
class CreateTenantPayload {
  @Field(() => Tenant, { description: 'It has no keys yet: make one with `createApiKey` on its behalf.' })
  tenant!: Pick<Tenant, 'id' | 'name' | 'createdAt'>;
}

@InputType({ description: 'What to change of a tenant.' })
class UpdateTenantInput {
  @Field(() => ID, { description: 'The tenant.' })
  id!: string;

  @Field(() => String, { description: 'Its new name: 1 to 200 characters, unique in this installation.' })
  name!: string;
}

@ObjectType({ description: 'The tenant, changed.' })
class UpdateTenantPayload {
  @Field(() => Tenant, { description: 'As it is now.' })
  tenant!: Tenant;
}

@InputType({ description: 'A tenant to delete.' })
class DeleteTenantInput {
  @Field(() => ID, { description: 'The tenant.' })
  id!: string;

  @Field(() => String, { description: 'Its name, so that no other one is deleted by mistake.' })
  name!: string;
}

@ObjectType({ description: 'What was deleted.' })
class DeleteTenantPayload {
  @ShowsIdOf('Tenant', { description: 'The id that the tenant had. No other one gets it.' })
  deletedTenantId!: number;
}

const TenantConnection = connectionOf(Tenant, 'Tenant', 'tenants');

const forPlatformKeys = 'For platform keys only.';
const toDo = { description: 'What to do.' };

@Resolver()
export class TenantResolver {
  @RequiresPlatformKey('platform:read')
  @Query(() => TenantConnection, {
    nullable: true,
    description: `The tenants of this installation, newest first. ${forPlatformKeys}`,
  })
  tenants(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => TenantFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: TenantFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Tenant>> {
    const name = parseInput(displayName.nullish(), filter?.name, ['filter', 'name']);
    const search = parseInput(searchText, filter?.search, ['filter', 'search']);
    const conditions = [
      ...(typeof name === 'string' ? [{ name }] : []),
      ...(typeof search === 'string' ? [{ name: containing(search) }] : []),
    ];
    return readConnection('tenants', page, (slice) => {
      const { where, options } = sliceQuery(slice);
      return all(context).find(Tenant, { ...existing, $and: conditions, ...where }, { ...options, ...UNFILTERED });
    });
  }

  @RequiresPlatformKey('platform:read')
  @Query(() => Tenant, {
    nullable: true,
    description: `One tenant; null with NOT_FOUND when there is none. ${forPlatformKeys}`,
  })
  async tenant(@Arg('id', () => ID, { description: 'Its id.' }) id: string, @Ctx() context: Context): Promise<Tenant> {
    const number = idOf('Tenant', id, ['id']);
    const tenant = await all(context).findOne(Tenant, { id: number, ...existing }, UNFILTERED);
    return found(tenant, 'Tenant', number);
  }

  @RequiresPlatformKey('platform:admin')
  @Mutation(() => CreateTenantPayload, { description: `Makes a tenant. ${forPlatformKeys}` })
  async createTenant(
    @Arg('input', () => CreateTenantInput, { description: 'What to make.' }) input: CreateTenantInput,
    @Ctx() context: Context,
  ): Promise<CreateTenantPayload> {
    const name = parseInput(displayName, input.name, ['input', 'name']);
    return { tenant: await createTenant(context.db, context.vault, name, actorOf(context)) };
  }

  @RequiresPlatformKey('platform:admin')
  @Mutation(() => UpdateTenantPayload, { description: `Gives a tenant another name. ${forPlatformKeys}` })
  async updateTenant(
    @Arg('input', () => UpdateTenantInput, toDo) input: UpdateTenantInput,
    @Ctx() context: Context,
  ): Promise<UpdateTenantPayload> {
    const id = idOf('Tenant', input.id, ['input', 'id']);
    const name = parseInput(displayName, input.name, ['input', 'name']);
    return { tenant: await updateTenant(context.db, id, { name }, actorOf(context)) };
  }

  @RequiresPlatformKey('platform:admin')
  @Mutation(() => DeleteTenantPayload, {
    description:
      'Deletes a tenant for good: its keys are refused everywhere within 5 seconds, its webhooks are deleted, what was still to be sent is canceled. ' +
      `Its events and deliveries cannot be reached any more, and are gone when their retention ends. ${forPlatformKeys}`,
  })
  async deleteTenant(
    @Arg('input', () => DeleteTenantInput, toDo) input: DeleteTenantInput,
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

const existing = { deletedAt: null };

/** Also where the request names one of them in the header Hookwright-Tenant. */
const all = ({ db }: Context) => tenantEntityManager(db.orm.em, null);
