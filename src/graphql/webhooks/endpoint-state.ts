import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType({
  description:
    'How the daemons deal with an endpoint, all of them together, as they report every two seconds. While nothing is sent there it is their last report, for up to a day.',
})
export class EndpointState {
  @Field(() => Int, {
    description:
      'How many requests may be in flight. Fast successes raise it; time-outs, broken connections, 5xx and 429 halve it.',
  })
  window!: number;

  @Field(() => Int, { description: 'How many requests are in flight.' })
  inFlight!: number;

  @Field(() => Int, { description: 'How many deliveries wait for a place in the window.' })
  waiting!: number;

  @Field(() => Float, {
    description:
      'How often a delivery was put off because its turn was too far away, since the daemons first sent there: a whole number. No attempt is counted for that.',
  })
  putOffs!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Smoothed duration of an attempt in milliseconds; null before the first one has ended.',
  })
  meanMs!: number | null;
}
