import { Field, Float, Int, ObjectType } from 'type-graphql';
import { Nullable } from '../../../entities/nullable.js';

@ObjectType({
  description:
    'How all daemons together treat an endpoint, as they report every two seconds. While nothing is sent there, this is their last report, for up to a day.',
})
export class EndpointState {
  @Field(() => Int, {
    description:
      'Number of requests that may be in flight. Fast successes raise it; time-outs, broken connections, 5xx and 429 halve it.',
  })
  window!: number;

  @Field(() => Int, { description: 'Number of requests in flight.' })
  inFlight!: number;

  @Field(() => Int, { description: 'Number of deliveries that wait for room in the window.' })
  waiting!: number;

  @Field(() => Float, {
    description:
      'How often a delivery was put off because too many were ahead of it, since the daemons first sent there: a whole number. That does not count as an attempt.',
  })
  putOffs!: number;

  @Nullable(() => Float, 'Smoothed duration of an attempt in milliseconds. Null before the first attempt has ended.')
  meanMs!: number | null;
}
