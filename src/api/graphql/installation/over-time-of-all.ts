import 'reflect-metadata';
import { Args, Ctx, Resolver } from 'type-graphql';
import type { Context } from '../../context/context.js';
import { STATS_COST } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';
import { FailureStats } from '../stats/failure-types.js';
import { failuresOfAll, queueOfAll } from '../stats/over-time.js';
import { QueueStats } from '../stats/queue-types.js';
import { WebhookRangeArgs } from '../stats/stats-types.js';
import { Installation } from './installation.js';

@Resolver(() => Installation)
export class OverTimeOfAllResolver {
  @NullableResolver(() => QueueStats, 'How many deliveries of all tenants were due and held, and for how long.', {
    complexity: STATS_COST,
  })
  queueStats(@Args(() => WebhookRangeArgs) args: WebhookRangeArgs, @Ctx() context: Context): Promise<QueueStats> {
    return queueOfAll(context, args);
  }

  @NullableResolver(() => FailureStats, 'Failed attempts of all tenants by reason, without the last minute or two.', {
    complexity: STATS_COST,
  })
  failureStats(@Args(() => WebhookRangeArgs) args: WebhookRangeArgs, @Ctx() context: Context): Promise<FailureStats> {
    return failuresOfAll(context, args);
  }
}
