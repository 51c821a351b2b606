import 'reflect-metadata';
import { Field, Float, ObjectType } from 'type-graphql';
import { OTHER_REASONS, REASONS_SHOWN } from '../../../domain/stats/failure-reason.js';
import { STATS_BUCKETS_MAX } from '../../../domain/stats/stats.js';
import { mayHold } from '../fields/costs.js';
import { RangeOfStats } from './stats-types.js';

@ObjectType({
  description: 'Failed attempts of one reason. Counts are whole numbers, which may be larger than an Int.',
})
class FailuresOfReason {
  @Field(() => String, {
    description: `An error code as in \`Attempt.errorCode\`; \`HTTP_3XX\`, \`HTTP_4XX\` or \`HTTP_5XX\` for rarer statuses; \`${OTHER_REASONS}\` for all other reasons together.`,
  })
  reason!: string;

  @Field(() => Float, { description: 'The sum of all buckets.' })
  failures!: number;

  @mayHold(STATS_BUCKETS_MAX)
  @Field(() => [Float], { description: 'The number in each bucket of the range, oldest first.' })
  buckets!: number[];
}

@ObjectType({ description: 'Failed attempts in a range of time, by reason.' })
export class FailureStats extends RangeOfStats {
  @mayHold(REASONS_SHOWN + 1)
  @Field(() => [FailuresOfReason], {
    description: `The ${REASONS_SHOWN} most frequent reasons, most frequent first, and then \`${OTHER_REASONS}\`. Reasons without failures are left out.`,
  })
  reasons!: FailuresOfReason[];
}
