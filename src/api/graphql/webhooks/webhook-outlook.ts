import 'reflect-metadata';
import { Arg, Ctx, Int, Resolver, Root } from 'type-graphql';
import { Delivery } from '../../../entities/delivery.js';
import { Webhook } from '../../../entities/webhook.js';
import { requireNoIssues } from '../../../errors.js';
import { FAILURES_LOOKED_OF_WEBHOOK, NEXT_ATTEMPTS_MAX } from '../../../operations/explorer/read-backlog.js';
import type { Context } from '../../context/context.js';
import { sizeIssues } from '../fields/connection.js';
import { mayHold } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { FailureCount } from '../installation/installation-types.js';
import { HOURS_OF_DAY, LAST_DAY, lastDayOf } from '../stats/stats.js';
import { StatsBucket } from '../stats/stats-types.js';

const NEXT_DEFAULT = 10;

/** Fields for lists of webhooks, each read by one statement for all webhooks. */
@Resolver(() => Webhook)
export class WebhookOutlookResolver {
  @Requires('deliveries:read')
  @mayHold(HOURS_OF_DAY)
  @NullableResolver(() => [StatsBucket], LAST_DAY, { complexity: 1 })
  lastDay(@Root() { id: webhookId }: Webhook, @Ctx() context: Context): Promise<StatsBucket[]> {
    return lastDayOf(context, (question) => context.loaders.statsByWebhook.load({ webhookId, ...question }));
  }

  @Requires('deliveries:read')
  @mayHold(50)
  @NullableResolver(
    () => [FailureCount],
    `Number of failures by reason, most frequent first, among the latest attempts of the newest ${FAILURES_LOOKED_OF_WEBHOOK} deliveries.`,
  )
  async failures(@Root() { id }: Webhook, @Ctx() { loaders }: Context): Promise<FailureCount[]> {
    return (await loaders.failuresByWebhook.load(id)) ?? [];
  }

  @Requires('deliveries:read')
  @mayHold(NEXT_ATTEMPTS_MAX)
  @NullableResolver(
    () => [Delivery],
    'Deliveries whose next attempt is planned for later, soonest first. `backlog.scheduled` counts them.',
  )
  async nextAttempts(
    @Root() { id }: Webhook,
    @Arg('first', () => Int, {
      nullable: true,
      description: `Number of deliveries: 1 to ${NEXT_ATTEMPTS_MAX}, default ${NEXT_DEFAULT}.`,
    })
    first: number | null,
    @Ctx() { loaders }: Context,
  ): Promise<Delivery[]> {
    requireNoIssues(sizeIssues('first', first, NEXT_ATTEMPTS_MAX));
    const ids = ((await loaders.nextAttemptsByWebhook.load(id)) ?? []).slice(0, first ?? NEXT_DEFAULT);
    const deliveries = await Promise.all(ids.map((delivery) => loaders.deliveryById.load(delivery)));
    return deliveries.filter((delivery) => delivery !== null);
  }
}
