import 'reflect-metadata';
import { Field, Int, ObjectType } from 'type-graphql';
import { FAILING_FROM_FAILURES } from '../../../domain/deliveries/health-limits.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import type { FailingState } from '../../../operations/installation/failing-webhooks.js';

const FailingStateEnum = graphqlEnum<FailingState>('FailingState', 'How a webhook fails now, the worst first.', {
  GONE: 'The endpoint answered 410 Gone, so the webhook was disabled.',
  DISABLED: 'Too many attempts failed in a row, so the webhook was disabled.',
  FAILING: `The webhook is active, and its last ${FAILING_FROM_FAILURES} attempts or more failed. Not while a pause lasts that the endpoint asked for.`,
});

const HELD = 'Number of held deliveries. 1000 means that many or more.';

@ObjectType({ description: 'A webhook of any tenant that fails now.' })
export class FailingWebhook {
  @ShowsIdOf('Webhook', { description: 'The id of the webhook.' })
  webhookId!: number;

  tenantId!: number;

  @Field(() => String, { description: 'The address that receives the deliveries.' })
  url!: string;

  @Field(() => FailingStateEnum, { description: 'How the webhook fails.' })
  state!: FailingState;

  @Nullable(() => Date, 'When the webhook was disabled, or its failures began.')
  since!: Date | null;

  @Field(() => Int, { description: 'Number of attempts that failed in a row.' })
  consecutiveFailures!: number;

  @Nullable(
    () => String,
    'The `errorCode` of the latest failure. Null when its delivery is not among those that are looked at.',
  )
  lastErrorCode!: string | null;

  @Field(() => Int, { description: HELD })
  held!: number;
}

@ObjectType({ description: 'A tenant with webhooks that fail now.' })
export class FailingTenant {
  tenantId!: number;

  @Field(() => Int, { description: 'Number of webhooks that are GONE.' })
  gone!: number;

  @Field(() => Int, { description: 'Number of webhooks that are DISABLED.' })
  disabled!: number;

  @Field(() => Int, { description: 'Number of webhooks that are FAILING.' })
  failing!: number;

  @Nullable(() => Date, 'When the first of these webhooks was disabled, or began to fail.')
  since!: Date | null;

  /** Null: it was not asked for. */
  @Field(() => Int, { description: HELD })
  held!: number | null;
}
