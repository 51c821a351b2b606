import 'reflect-metadata';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { reasonFigures } from '../../../domain/stats/failure-reason.js';
import { queueBuckets } from '../../../domain/stats/queue.js';
import { judgeStatsRange, type StatsRange } from '../../../domain/stats/stats.js';
import { Webhook } from '../../../entities/webhook.js';
import { invalidInput } from '../../../errors.js';
import { readQueue } from '../../../operations/queue/read-queue.js';
import { readFailures } from '../../../operations/stats/read-failures.js';
import { ALL_WEBHOOKS } from '../../../operations/stats/read-stats.js';
import { PLATFORM } from '../../../platform/database/tenant-database.js';
import type { Context } from '../../context/context.js';
import { STATS_COST } from '../fields/costs.js';
import { knownWebhookIn } from '../fields/known-webhook.js';
import { NullableQuery } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { FailureStats } from './failure-types.js';
import { QueueStats, RangeArgs } from './queue-types.js';
import { WebhookRangeArgs } from './stats-types.js';

/** The queue and the reasons of failures over time, beside the attempts. */
@Resolver(() => Webhook)
export class OverTimeResolver {
  @Requires('deliveries:read')
  @NullableQuery(() => QueueStats, 'How many deliveries were due and held, and for how long.', {
    complexity: STATS_COST,
  })
  async queueStats(@Args(() => RangeArgs) args: RangeArgs, @Ctx() context: Context): Promise<QueueStats> {
    const webhookId = (await knownWebhookIn(context, args.webhookId)) ?? ALL_WEBHOOKS;
    return queueOf(context, webhookId, args);
  }

  @Requires('deliveries:read')
  @NullableQuery(() => FailureStats, 'Failed attempts by reason. At most a second old.', { complexity: STATS_COST })
  async failureStats(@Args(() => RangeArgs) args: RangeArgs, @Ctx() context: Context): Promise<FailureStats> {
    const webhookId = (await knownWebhookIn(context, args.webhookId)) ?? ALL_WEBHOOKS;
    return failuresOf(context, webhookId, args);
  }

  @Requires('deliveries:read')
  @FieldResolver(() => QueueStats, {
    nullable: true,
    complexity: STATS_COST,
    name: 'queueStats',
    description:
      'How many deliveries to the webhook were due and held, and for how long. Where many webhooks have a queue, those with most deliveries are counted.',
  })
  queueOfWebhook(
    @Root() { id }: Webhook,
    @Args(() => WebhookRangeArgs) args: WebhookRangeArgs,
    @Ctx() context: Context,
  ): Promise<QueueStats> {
    return queueOf(context, id, args);
  }

  @Requires('deliveries:read')
  @FieldResolver(() => FailureStats, {
    nullable: true,
    complexity: STATS_COST,
    name: 'failureStats',
    description: 'Failed attempts at the webhook by reason.',
  })
  failuresOfWebhook(
    @Root() { id }: Webhook,
    @Args(() => WebhookRangeArgs) args: WebhookRangeArgs,
    @Ctx() context: Context,
  ): Promise<FailureStats> {
    return failuresOf(context, id, args);
  }
}

async function queueOf(context: Context, webhookId: number, args: WebhookRangeArgs): Promise<QueueStats> {
  const range = rangeIn(context, args);
  return { ...range, buckets: queueBuckets(range, await context.loaders.queueByWebhook.load({ webhookId, range })) };
}

async function failuresOf(context: Context, webhookId: number, args: WebhookRangeArgs): Promise<FailureStats> {
  const range = rangeIn(context, args);
  const counted = await context.loaders.failureStatsByWebhook.load({ webhookId, range });
  return { ...range, reasons: reasonFigures(range, counted) };
}

/** The queue of all tenants together. @throws ApiError invalid_input */
export async function queueOfAll(context: Context, args: WebhookRangeArgs): Promise<QueueStats> {
  const range = rangeIn(context, args);
  const read = await readQueue(context, PLATFORM, [ALL_WEBHOOKS], range);
  return { ...range, buckets: queueBuckets(range, read.get(ALL_WEBHOOKS) ?? []) };
}

/** The failures of all tenants together. @throws ApiError invalid_input */
export async function failuresOfAll(context: Context, args: WebhookRangeArgs): Promise<FailureStats> {
  const range = rangeIn(context, args);
  const counted = await readFailures(context, PLATFORM, [ALL_WEBHOOKS], range);
  return { ...range, reasons: reasonFigures(range, counted.get(ALL_WEBHOOKS) ?? []) };
}

/** @throws ApiError invalid_input for a range that cannot be asked for */
export function rangeIn(
  context: Pick<Context, 'clock'>,
  { since, until = null, resolution = null }: WebhookRangeArgs,
): StatsRange {
  const verdict = judgeStatsRange({ since, until, resolution }, context.clock());
  if (!verdict.allowed) {
    throw invalidInput([{ path: [verdict.field], code: 'out_of_range', detail: verdict.reason }]);
  }
  const { allowed: _, ...range } = verdict;
  return range;
}
