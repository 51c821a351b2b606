import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { BulkOperation, BulkStatus } from '../../entities/bulk-operation.js';
import { DeliveryStatus } from '../../entities/delivery.js';

enum DeliveryOutcome {
  SUCCEEDED = 'SUCCEEDED',
  FAILED = 'FAILED',
  CANCELED = 'CANCELED',
  HOLD_EXPIRED = 'HOLD_EXPIRED',
}
registerEnumType(DeliveryOutcome, {
  name: 'DeliveryOutcome',
  description: 'How a delivery has ended.',
  valuesConfig: {
    SUCCEEDED: { description: 'The endpoint answered 2xx.' },
    FAILED: { description: 'All retries were used up, or the endpoint answered 410.' },
    CANCELED: { description: 'It was canceled, for whatever reason.' },
    HOLD_EXPIRED: { description: 'It was canceled because its webhook stayed inactive for too long.' },
  },
});

/** What a recovery sends again by default. */
export const RECOVERED_BY_DEFAULT = [DeliveryOutcome.FAILED, DeliveryOutcome.HOLD_EXPIRED];

const since = 'Only those made at this moment or later.';
const until = 'Only those made before this moment; default: now.';
const dryRun = { nullable: true, defaultValue: false, description: 'Count only, and change nothing.' };

@InputType({ description: 'Which finished deliveries; all conditions together.' })
class RecoverWebhookFilter {
  @Field(() => Date, { description: since })
  since!: Date;

  @Field(() => Date, { nullable: true, description: until })
  until?: Date | null;

  @Field(() => [DeliveryOutcome], {
    nullable: true,
    defaultValue: RECOVERED_BY_DEFAULT,
    description: 'Only those that have ended in one of these ways, at least one.',
  })
  outcomes?: DeliveryOutcome[] | null;
}

@InputType({ description: 'A webhook whose finished deliveries are to be sent again.' })
export class RecoverWebhookInput {
  @Field(() => RecoverWebhookFilter, { description: 'Which deliveries.' })
  filter!: RecoverWebhookFilter;

  @Field(() => ID, { description: 'The webhook. It must be active.' })
  id!: string;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

@InputType({
  description:
    'Which events: since a moment, or one alone. What was meant for one webhook, as tests are, is never among them, nor what the service tells of the webhook itself.',
})
class ReplayEventsFilter {
  @Field(() => [String], {
    nullable: true,
    description:
      'Only events of these types, 1 to 100; without it all that the webhook subscribes to. It must subscribe to one of them, unless `includeUnsubscribed`.',
  })
  eventTypes?: string[] | null;

  @Field(() => ID, {
    nullable: true,
    description: 'This one alone, so that it goes to another webhook; then neither `since` nor `until`.',
  })
  eventId?: string | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Only those accepted at this moment or later. Required without `eventId`.',
  })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only those accepted before this moment; default: now.' })
  until?: Date | null;
}

@InputType({ description: 'Past events to deliver to a webhook, which may be younger than they are.' })
export class ReplayEventsInput {
  @Field(() => ReplayEventsFilter, { description: 'Which events.' })
  filter!: ReplayEventsFilter;

  @Field(() => ID, { description: 'The webhook. It must be active.' })
  webhookId!: string;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Also events that have a delivery to this webhook, whatever became of it: they get another one, with an id of its own. Also events of days whose deliveries are not kept any more, of which nobody can tell.',
  })
  includeDelivered?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Also events of types that the webhook does not subscribe to.',
  })
  includeUnsubscribed?: boolean | null;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

@InputType({ description: 'Which open deliveries; all conditions together, at least one.' })
class CancelDeliveriesFilter {
  @Field(() => ID, { nullable: true, description: 'Only those to this webhook.' })
  webhookId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only those of events of this type.' })
  eventType?: string | null;

  @Field(() => DeliveryStatus, { nullable: true, description: 'Only PENDING or only HELD ones; without it both.' })
  status?: DeliveryStatus | null;

  @Field(() => Date, { nullable: true, description: since })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: until })
  until?: Date | null;
}

@InputType({ description: 'Open deliveries to cancel.' })
export class CancelDeliveriesInput {
  @Field(() => CancelDeliveriesFilter, { description: 'Which ones.' })
  filter!: CancelDeliveriesFilter;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

/** What the three mutations that start a bulk operation answer. */
@ObjectType()
abstract class BulkPayloadFields {
  @Field(() => Int, { description: 'How many there are to do.' })
  total!: number;

  @Field(() => Boolean, {
    description:
      'Whether there may be more: counting ends when a million rows have been looked at. The operation goes through all.',
  })
  totalCapped!: boolean;

  @Field(() => BulkOperation, { nullable: true, description: 'The operation under way; null after a dry run.' })
  bulkOperation!: BulkOperation | null;
}

@ObjectType({ description: 'The recovery under way, or what it would do.' })
export class RecoverWebhookPayload extends BulkPayloadFields {}

@ObjectType({ description: 'The replay under way, or what it would do.' })
export class ReplayEventsPayload extends BulkPayloadFields {}

@ObjectType({ description: 'The cancellation under way, or what it would do.' })
export class CancelDeliveriesPayload extends BulkPayloadFields {}

@InputType({ description: 'A bulk operation to cancel. It must be running or paused.' })
export class CancelBulkOperationInput {
  @Field(() => ID, { description: 'The operation.' })
  id!: string;
}

@ObjectType({ description: 'The canceled operation.' })
export class CancelBulkOperationPayload {
  @Field(() => BulkOperation, { description: 'As it is now. A chunk that was under way is in it.' })
  bulkOperation!: BulkOperation;
}

@InputType({ description: 'A bulk operation to go on with: one that was canceled, or has failed.' })
export class ResumeBulkOperationInput {
  @Field(() => ID, { description: 'The operation.' })
  id!: string;
}

@ObjectType({ description: 'The operation, under way again.' })
export class ResumeBulkOperationPayload {
  @Field(() => BulkOperation, { description: 'As it is now. It goes on where it stopped.' })
  bulkOperation!: BulkOperation;
}

@InputType({ description: 'Which bulk operations.' })
export class BulkOperationFilter {
  @Field(() => BulkStatus, { nullable: true, description: 'Only those in this state.' })
  status?: BulkStatus | null;
}
