import 'reflect-metadata';
import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { actorOf, type Context } from '../context.js';
import { Tenant } from '../entities/tenant.js';
import { createTenant } from '../operations/create-tenant.js';
import { displayName } from '../operations/display-name.js';
import { parseInput } from './input.js';
import { RequiresPlatformKey } from './requires.js';

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

@Resolver()
export class TenantResolver {
  @RequiresPlatformKey()
  @Mutation(() => CreateTenantPayload, { description: 'Makes a tenant. For platform keys only.' })
  async createTenant(
    @Arg('input', () => CreateTenantInput, { description: 'What to make.' }) input: CreateTenantInput,
    @Ctx() context: Context,
  ): Promise<CreateTenantPayload> {
    const name = parseInput(displayName, input.name, ['input', 'name']);
    return { tenant: await createTenant(context.db, context.vault, name, actorOf(context)) };
  }
}
