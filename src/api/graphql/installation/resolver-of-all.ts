import 'reflect-metadata';
import { type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Tenant } from '../../../entities/tenant.js';
import type { Context } from '../../context/context.js';

interface WebhookOfAll {
  tenantId: number;
  webhookId: number;
}

/** The fields of a webhook of any tenant that its row of a list lacks, for a platform key. */
export function resolverOfAll<Row extends WebhookOfAll>(type: ClassType<Row>) {
  @Resolver(() => type)
  class OfAllResolver {
    @FieldResolver(() => Tenant, {
      nullable: true,
      description: 'The tenant of the webhook. Null when it was deleted.',
    })
    tenant(@Root() { tenantId }: WebhookOfAll, @Ctx() { loaders }: Context): Promise<Tenant | null> {
      return loaders.tenantById.load(tenantId);
    }

    @FieldResolver(() => String, { nullable: true, description: 'The name of the webhook.' })
    async name(@Root() webhook: WebhookOfAll, @Ctx() { loaders }: Context): Promise<string | null> {
      return (await loaders.namesByWebhookOfAll.load(webhook))?.name ?? null;
    }

    @FieldResolver(() => String, { nullable: true, description: 'The external id of the webhook.' })
    async externalId(@Root() webhook: WebhookOfAll, @Ctx() { loaders }: Context): Promise<string | null> {
      return (await loaders.namesByWebhookOfAll.load(webhook))?.externalId ?? null;
    }
  }
  return OfAllResolver;
}
