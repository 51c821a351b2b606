import 'reflect-metadata';
import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { ShowsIdOf } from '../../../entities/node.js';
import { Tenant } from '../../../entities/tenant.js';
import type { Context } from '../../context/context.js';

@ObjectType({
  description: 'A shape that asks for fields which payloads of the event type do not have: they are null.',
})
export class AffectedShape {
  tenantId!: number;

  @ShowsIdOf('Webhook', { description: 'The id of the webhook with the shape.' })
  webhookId!: number;

  @Field(() => [String], { description: 'The missing fields, such as `customer.email`.' })
  fields!: string[];
}

@Resolver(() => AffectedShape)
export class AffectedShapeResolver {
  @FieldResolver(() => Tenant, { nullable: true, description: 'The tenant of the webhook. Null when it was deleted.' })
  tenant(@Root() { tenantId }: AffectedShape, @Ctx() context: Context): Promise<Tenant | null> {
    return context.loaders.tenantById.load(tenantId);
  }
}
