import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import { tenantFields } from '../../../domain/fields/tenant-fields.js';
import { Tenant } from '../../../entities/tenant.js';
import type { Backlog } from '../../../operations/explorer/read-backlog.js';
import { type Context, callerOf } from '../../context/context.js';
import { mayHold, STATS_COST } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';
import { RequiresScope } from '../fields/requires.js';
import { Resolved } from '../fields/resolved.js';
import { HOURS_OF_DAY, LAST_DAY, lastDayOf, statsOf } from '../stats/stats.js';
import { BacklogType, Stats, StatsBucket, WebhookStatsArgs } from '../stats/stats-types.js';

@Resolver(() => Tenant)
@Resolved(tenantFields)
export class TenantUsageResolver {
  @NullableResolver(
    () => String,
    'The name of the platform key that has set the limits. Null for keys of tenants, and when a command has set them.',
  )
  async limitedBy(@Root() { limitedBy }: Tenant, @Ctx() context: Context): Promise<string | null> {
    const isSeen = limitedBy != null && callerOf(context).tenantId === null;
    return isSeen ? ((await context.loaders.apiKeyById.load(limitedBy))?.name ?? null) : null;
  }

  @RequiresScope('webhooks:read')
  @FieldResolver(() => Int, { nullable: true, description: 'Number of webhooks.' })
  async webhookCount(@Root() { id }: Tenant, @Ctx() { loaders }: Context): Promise<number> {
    return (await loaders.webhookCountByTenant.load(id)) ?? 0;
  }

  @RequiresScope('deliveries:read')
  @NullableResolver(() => BacklogType, 'Deliveries to all webhooks of the tenant that are still to be sent.', {
    complexity: 5,
  })
  backlog(@Root() { id }: Tenant, @Ctx() { loaders }: Context): Promise<Backlog | null> {
    return loaders.backlogByTenant.load(id);
  }

  @RequiresScope('deliveries:read')
  @NullableResolver(() => Stats, 'Successes, failures and durations of attempts at all webhooks of the tenant.', {
    complexity: STATS_COST,
  })
  stats(
    @Root() { id: tenantId }: Tenant,
    @Args(() => WebhookStatsArgs) args: WebhookStatsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Stats> {
    return statsOf(context, args, info, (question) => context.loaders.statsByTenant.load({ tenantId, ...question }));
  }

  @RequiresScope('deliveries:read')
  @mayHold(HOURS_OF_DAY)
  @NullableResolver(() => [StatsBucket], LAST_DAY, { complexity: 1 })
  lastDay(@Root() { id: tenantId }: Tenant, @Ctx() context: Context): Promise<StatsBucket[]> {
    return lastDayOf(context, (question) => context.loaders.statsByTenant.load({ tenantId, ...question }));
  }
}
