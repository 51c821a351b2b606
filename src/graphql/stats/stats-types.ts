import 'reflect-metadata';
import { ArgsType, Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { STATS_BUCKETS_MAX } from '../../domain/stats/stats.js';
import { mayHold } from '../fields/costs.js';

export enum StatsResolution {
  MINUTE = 'MINUTE',
  HOUR = 'HOUR',
  DAY = 'DAY',
}
registerEnumType(StatsResolution, {
  name: 'StatsResolution',
  description: 'How long the buckets of statistics are. They begin with the minutes, hours and days of UTC.',
  valuesConfig: {
    MINUTE: { description: 'Kept for 2 days.' },
    HOUR: { description: 'Kept for 90 days.' },
    DAY: { description: 'Kept for 2 years.' },
  },
});

/** Simple resolvers: a chart has thousands of these fields. */
@ObjectType('StatsFigures', {
  description: 'What became of attempts. Counts are whole numbers, which may be larger than an Int.',
  simpleResolvers: true,
})
export class StatsFiguresType {
  @Field(() => Float, { description: 'How many attempts ended, retries and redeliveries included.' })
  attempts!: number;

  @Field(() => Float, { description: 'How many attempts succeeded.' })
  successes!: number;

  @Field(() => Float, { description: 'How many attempts failed.' })
  failures!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Successes as a part of attempts, 0 to 1; null without attempts.',
  })
  successRate!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Median duration of an attempt in ms, failed ones included; null without attempts. Like the other percentiles it comes from a histogram whose buckets grow 1.6 times each, up to 50 s.',
  })
  p50Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The duration in ms that 95 % of attempts do not exceed; null without attempts.',
  })
  p95Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The duration in ms that 99 % of attempts do not exceed; null without attempts.',
  })
  p99Ms!: number | null;
}

@ObjectType({
  description:
    'What became of attempts that ended in one bucket of time. Counts are whole numbers, which may be larger than an Int.',
  simpleResolvers: true,
})
export class StatsBucket extends StatsFiguresType {
  @Field(() => Date, { description: 'When the bucket begins. It ends where the next one begins.' })
  start!: Date;
}

@ObjectType({ description: 'What became of attempts in a range of time.' })
export class Stats {
  @Field(() => Date, { description: 'The beginning of the first bucket.' })
  since!: Date;

  @Field(() => Date, { description: 'The end of the last bucket.' })
  until!: Date;

  @Field(() => StatsResolution, { description: 'How long the buckets are.' })
  resolution!: StatsResolution;

  @Field(() => StatsFiguresType, { description: 'All buckets together.' })
  total!: StatsFiguresType;

  @mayHold(STATS_BUCKETS_MAX)
  @Field(() => [StatsBucket], {
    description: 'Every bucket of the range, the first one first, also those without attempts.',
  })
  buckets!: StatsBucket[];
}

/** Of a webhook. */
@ArgsType()
export class WebhookStatsArgs {
  @Field(() => Date, {
    description: 'From when on. The bucket that it lies in is the first one, and counts as a whole.',
  })
  since!: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'Until when; default: now. The last bucket counts as a whole, too.',
  })
  until?: Date | null;

  @Field(() => StatsResolution, {
    nullable: true,
    description:
      'How long the buckets are. Default: minutes for up to 6 hours, hours for up to 14 days, else days; longer ones where the shorter are not kept any more. There are at most 1,500 of them.',
  })
  resolution?: StatsResolution | null;

  @Field(() => String, { nullable: true, description: 'Only attempts to deliver events of this type.' })
  eventType?: string | null;
}

@ArgsType()
export class StatsArgs extends WebhookStatsArgs {
  @Field(() => ID, { nullable: true, description: 'Only attempts at this webhook, which may have been deleted since.' })
  webhookId?: string | null;
}

@ObjectType('Backlog', {
  description: 'Deliveries that are still to be sent. Counts end at `countMax`: there may be more then.',
})
export class BacklogType {
  @Field(() => Int, {
    description:
      'Pending ones whose time has come: under way, or waiting for their turn, also those that wait until `Webhook.closedUntil`.',
  })
  due!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when the oldest one that is due has been so; null when none is due.',
  })
  oldestDueAt!: Date | null;

  @Field(() => Int, { description: 'Pending ones whose next attempt is planned for later.' })
  scheduled!: number;

  @Field(() => Int, { description: 'Those that wait for their webhook to be enabled or released.' })
  held!: number;

  @Field(() => Int, { description: 'A count that has reached this number means: that many or more.' })
  countMax!: number;
}
