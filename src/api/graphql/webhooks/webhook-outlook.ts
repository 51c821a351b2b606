import 'reflect-metadata';
import { Arg, Ctx, Int, Resolver, Root } from 'type-graphql';
import { bucketFigures } from '../../../domain/stats/stats.js';
import { HOUR_MS } from '../../../domain/text/durations.js';
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
import { StatsBucket } from '../stats/stats-types.js';

const HOURS_OF_DAY = 24;
const NEXT_DEFAULT = 10;

/** Fields for lists of webhooks, each read by one statement for all webhooks. */
@Resolver(() => Webhook)
export class WebhookOutlookResolver {
  @Requires('deliveries:read')
  @mayHold(HOURS_OF_DAY)
  @NullableResolver(
    () => [StatsBucket],
    'Attempts in each of the last 24 hours, the current hour last. In a list it costs less than `stats`.',
    { complexity: 1 },
  )
  async lastDay(@Root() { id }: Webhook, @Ctx() context: Context): Promise<StatsBucket[]> {
    const end = (Math.floor(context.clock().getTime() / HOUR_MS) + 1) * HOUR_MS;
    const range = { resolution: 'HOUR' as const, since: new Date(end - HOURS_OF_DAY * HOUR_MS), until: new Date(end) };
    const question = { webhookId: id, range, eventType: null, inBuckets: true };
    return bucketFigures(range, await context.loaders.statsByWebhook.load(question));
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
