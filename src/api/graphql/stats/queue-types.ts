import 'reflect-metadata';
import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { QUEUE_COUNT_MAX } from '../../../domain/stats/queue.js';
import { STATS_BUCKETS_MAX } from '../../../domain/stats/stats.js';
import { Nullable } from '../../../entities/nullable.js';
import { mayHold } from '../fields/costs.js';
import { RangeOfStats, WebhookRangeArgs } from './stats-types.js';

@ArgsType()
export class RangeArgs extends WebhookRangeArgs {
  @Nullable(() => ID, 'Only deliveries to this webhook, which may have been deleted since.')
  webhookId?: string | null;
}

@ObjectType({
  description:
    'What was queued in one bucket of time: in a minute when it began, in an hour or a day the most at any of its minutes. Null when nobody counted.',
  simpleResolvers: true,
})
class QueueBucket {
  @Field(() => Date, { description: 'When the bucket begins. It ends where the next one begins.' })
  start!: Date;

  @Nullable(() => Int, 'Number of pending deliveries that were due.')
  due!: number | null;

  @Nullable(() => Int, 'Number of held deliveries.')
  held!: number | null;

  @Nullable(() => Float, 'How long the oldest due delivery had been due, in seconds. 0 when none was due.')
  oldestSeconds!: number | null;

  @Field(() => Boolean, { description: 'True: there were more deliveries than `due` or `held` says.' })
  isMore!: boolean;
}

@ObjectType({
  description: `The queue over time, counted each minute. For a webhook up to ${QUEUE_COUNT_MAX.toLocaleString('en')} deliveries of each kind are counted; a tenant has the sums of its webhooks.`,
})
export class QueueStats extends RangeOfStats {
  @mayHold(STATS_BUCKETS_MAX)
  @Field(() => [QueueBucket], { description: 'All buckets of the range, oldest first.' })
  buckets!: QueueBucket[];
}
