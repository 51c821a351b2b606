import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { bucketFigures, type StatsCounts, totalFigures } from '../../../domain/stats/stats.js';
import { HOUR_MS } from '../../../domain/text/durations.js';
import { Webhook } from '../../../entities/webhook.js';
import {
  type Backlog,
  type ClosedBacklog,
  readClosedBacklogOfTenant,
  readTenantBacklog,
} from '../../../operations/explorer/read-backlog.js';
import { ALL_WEBHOOKS, type StatsQuestion } from '../../../operations/stats/read-stats.js';
import { type Context, tenantOf } from '../../context/context.js';
import { STATS_COST } from '../fields/costs.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { knownWebhookIn } from '../fields/known-webhook.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { asksFor } from '../fields/selection.js';
import { rangeIn } from './over-time.js';
import { BacklogType, ClosedBacklogType, Stats, StatsArgs, type StatsBucket, WebhookStatsArgs } from './stats-types.js';

@Resolver(() => Webhook)
export class StatsResolver {
  @Requires('deliveries:read')
  @NullableQuery(() => Stats, 'Successes, failures and durations of attempts. At most a second old.', {
    complexity: STATS_COST,
  })
  async stats(
    @Args(() => StatsArgs) args: StatsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Stats> {
    const webhookId = (await knownWebhookIn(context, args.webhookId)) ?? ALL_WEBHOOKS;
    return statsOf(context, args, info, (question) => context.loaders.statsByWebhook.load({ webhookId, ...question }));
  }

  @Requires('deliveries:read')
  @FieldResolver(() => Stats, {
    nullable: true,
    complexity: STATS_COST,
    name: 'stats',
    description: 'Successes, failures and durations of attempts at the webhook.',
  })
  webhookStats(
    @Root() { id: webhookId }: Webhook,
    @Args(() => WebhookStatsArgs) args: WebhookStatsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Stats> {
    return statsOf(context, args, info, (question) => context.loaders.statsByWebhook.load({ webhookId, ...question }));
  }

  @Requires('deliveries:read')
  @NullableQuery(() => BacklogType, 'Deliveries to all webhooks of the tenant that are still to be sent.')
  backlog(@Ctx() context: Context): Promise<Backlog> {
    return readTenantBacklog(context.db, tenantOf(context));
  }

  @Requires('deliveries:read')
  @NullableQuery(
    () => ClosedBacklogType,
    'The due deliveries in `backlog` that wait for a pause, and the age of the others.',
  )
  closedBacklog(@Ctx() context: Context): Promise<ClosedBacklog> {
    return readClosedBacklogOfTenant(context.db, tenantOf(context));
  }

  @Requires('deliveries:read')
  @NullableResolver(() => BacklogType, 'Deliveries to the webhook that are still to be sent.', { name: 'backlog' })
  webhookBacklog(@Root() webhook: Webhook, @Ctx() context: Context): Promise<Backlog | null> {
    return context.loaders.backlogByWebhook.load(webhook.id);
  }
}

/**
 * Statistics of what `read` counts.
 *
 * @throws ApiError invalid_input for a range or an event type that cannot be asked for
 */
export async function statsOf(
  context: Context,
  { eventType = null, ...args }: WebhookStatsArgs,
  info: GraphQLResolveInfo,
  read: (question: StatsQuestion) => Promise<readonly StatsCounts[]>,
): Promise<Stats> {
  const range = rangeIn(context, args);
  const type = await knownTypeIn(context, eventType, ['eventType']);
  const counted = await read({ range, eventType: type ?? null, inBuckets: asksFor(info, 'buckets') });
  return {
    ...range,
    total: totalFigures(counted),
    get buckets() {
      return bucketFigures(range, counted);
    },
  };
}

export const HOURS_OF_DAY = 24;
/** The description of a field with them. */
export const LAST_DAY =
  'Attempts in each of the last 24 hours, the current hour last. In a list it costs less than `stats`.';

/** The counts of `read` in each of the last 24 hours. */
export async function lastDayOf(
  { clock }: Context,
  read: (question: StatsQuestion) => Promise<readonly StatsCounts[]>,
): Promise<StatsBucket[]> {
  const end = (Math.floor(clock().getTime() / HOUR_MS) + 1) * HOUR_MS;
  const range = { resolution: 'HOUR' as const, since: new Date(end - HOURS_OF_DAY * HOUR_MS), until: new Date(end) };
  return bucketFigures(range, await read({ range, eventType: null, inBuckets: true }));
}
