import 'reflect-metadata';
import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { CLOSED_COUNTED } from '../../../domain/deliveries/health-limits.js';
import { STATS_BUCKETS_MAX } from '../../../domain/stats/stats.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';
import { mayHold } from '../fields/costs.js';

const StatsResolution = graphqlEnum(
  'StatsResolution',
  'The length of the buckets of statistics. They begin with the minutes, hours and days of UTC.',
  { MINUTE: 'Kept for 2 days.', HOUR: 'Kept for 90 days.', DAY: 'Kept for 2 years.' },
);

/** With simple resolvers, because a chart has thousands of these fields. */
@ObjectType('StatsFigures', {
  description: 'Outcomes of attempts. Counts are whole numbers, which may be larger than an Int.',
  simpleResolvers: true,
})
export class StatsFiguresType {
  @Field(() => Float, { description: 'Number of finished attempts, including retries and redeliveries.' })
  attempts!: number;

  @Field(() => Float, { description: 'Number of successful attempts.' })
  successes!: number;

  @Field(() => Float, { description: 'Number of failed attempts.' })
  failures!: number;

  @Nullable(() => Float, 'Share of successful attempts, 0 to 1. Null without attempts.')
  successRate!: number | null;

  @Nullable(
    () => Float,
    'Median duration of an attempt in ms, including failed ones. Null without attempts. Like the other percentiles it comes from a histogram whose buckets grow 1.6 times each, up to 50 s.',
  )
  p50Ms!: number | null;

  @Nullable(() => Float, 'The duration in ms that 95 % of attempts do not exceed. Null without attempts.')
  p95Ms!: number | null;

  @Nullable(() => Float, 'The duration in ms that 99 % of attempts do not exceed. Null without attempts.')
  p99Ms!: number | null;
}

@ObjectType({
  description:
    'Outcomes of attempts that ended in one bucket of time. Counts are whole numbers, which may be larger than an Int.',
  simpleResolvers: true,
})
export class StatsBucket extends StatsFiguresType {
  @Field(() => Date, { description: 'When the bucket begins. It ends where the next one begins.' })
  start!: Date;
}

/** The range of statistics, which has whole buckets. */
@ObjectType()
export abstract class RangeOfStats {
  @Field(() => Date, { description: 'The beginning of the first bucket.' })
  since!: Date;

  @Field(() => Date, { description: 'The end of the last bucket.' })
  until!: Date;

  @Field(() => StatsResolution, { description: 'The length of the buckets.' })
  resolution!: keyof typeof StatsResolution;
}

@ObjectType({ description: 'Outcomes of attempts in a range of time.' })
export class Stats extends RangeOfStats {
  @Field(() => StatsFiguresType, { description: 'The sum of all buckets.' })
  total!: StatsFiguresType;

  @mayHold(STATS_BUCKETS_MAX)
  @Field(() => [StatsBucket], {
    description: 'All buckets of the range, oldest first, including those without attempts.',
  })
  buckets!: StatsBucket[];
}

@ArgsType()
export class WebhookRangeArgs {
  @Field(() => Date, {
    description: 'Begin of the range. The whole bucket that contains it counts.',
  })
  since!: Date;

  @Nullable(() => Date, 'End of the range; default: now. The whole last bucket counts.')
  until?: Date | null;

  @Nullable(
    () => StatsResolution,
    'The length of the buckets. Default: minutes for up to 6 hours, hours for up to 14 days, otherwise days, or longer ones where the shorter ones are no longer kept. At most 1,500 buckets.',
  )
  resolution?: keyof typeof StatsResolution | null;
}

@ArgsType()
export class WebhookStatsArgs extends WebhookRangeArgs {
  @Nullable(() => String, 'Only attempts to deliver events of this type.')
  eventType?: string | null;
}

@ArgsType()
export class StatsArgs extends WebhookStatsArgs {
  @Nullable(() => ID, 'Only attempts at this webhook, which may have been deleted since.')
  webhookId?: string | null;
}

@ObjectType('Backlog', {
  description: 'Deliveries that are still to be sent. A count of `countMax` means that many or more.',
})
export class BacklogType {
  @Field(() => Int, {
    description:
      'Number of pending deliveries that are due: under way or waiting, also those that wait until `Webhook.closedUntil`.',
  })
  due!: number;

  @Nullable(() => Date, 'When the oldest due delivery became due. Null when none is due.')
  oldestDueAt!: Date | null;

  @Field(() => Int, { description: 'Number of pending deliveries whose next attempt is planned for later.' })
  scheduled!: number;

  @Field(() => Int, {
    description: 'Number of held deliveries: they wait until their webhook is enabled, or until they are released.',
  })
  held!: number;

  @Field(() => Int, {
    description: 'Number of waiting deliveries: an earlier delivery of their ordering key has not ended.',
  })
  waiting!: number;

  @Field(() => Int, { description: 'The highest count. It means that many or more.' })
  countMax!: number;
}

@ObjectType('ClosedBacklog', {
  description: 'Due deliveries that wait because their endpoints asked for a pause, until `Webhook.closedUntil`.',
})
export class ClosedBacklogType {
  @Field(() => Int, {
    description: `The number of these deliveries, counted as far as \`Backlog.countMax\`. Of the whole installation, those of the ${CLOSED_COUNTED} webhooks whose pauses end last.`,
  })
  due!: number;

  @Field(() => Int, {
    description: `The number of webhooks that they belong to. Of the whole installation at most ${CLOSED_COUNTED}, which means ${CLOSED_COUNTED} or more.`,
  })
  webhooks!: number;

  @Nullable(() => Date, 'When the last of the pauses ends. Null when no delivery waits for one.')
  until!: Date | null;

  @Nullable(
    () => Date,
    'When the oldest of the other due deliveries became due. Deliveries that wait for the rate of their webhook, or for the next probe of an endpoint that fails, do not count. Null when there is none. Of the whole installation, one behind many that wait for pauses comes with the report of a daemon.',
  )
  oldestOtherDueAt!: Date | null;
}
