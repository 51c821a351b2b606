import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { BulkOperation, BulkStatus } from '../../../entities/bulk-operation.js';
import { Delivery } from '../../../entities/delivery.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';
import { DeliveryFilter } from '../deliveries/delivery-filter.js';
import { mayHold } from '../fields/costs.js';

const DeliveryOutcome = graphqlEnum('DeliveryOutcome', 'How a delivery ended.', {
  SUCCEEDED: 'The endpoint answered 2xx.',
  FAILED: 'All retries were used up, or the endpoint answered 410.',
  CANCELED: 'The delivery was canceled, for any reason.',
  HOLD_EXPIRED: 'The delivery was canceled because its webhook stayed inactive for too long.',
});
type DeliveryOutcome = keyof typeof DeliveryOutcome;

/** The outcomes that a recovery sends again by default. */
export const RECOVERED_BY_DEFAULT: DeliveryOutcome[] = ['FAILED', 'HOLD_EXPIRED'];

const since = 'Only deliveries created at this time or later.';
const until = 'Only deliveries created before this time; default: now.';
const dryRun = { nullable: true, defaultValue: false, description: 'Only count, and change nothing.' };
const ID_OF_WEBHOOK = { description: 'The id of the webhook, which must be active.' };

@InputType({ description: 'Conditions for finished deliveries. All of them must be met.' })
class RecoverWebhookFilter {
  @Field(() => Date, { description: since })
  since!: Date;

  @Nullable(() => Date, until)
  until?: Date | null;

  @Nullable(() => [DeliveryOutcome], 'Only deliveries with one of these outcomes; at least one.', {
    defaultValue: RECOVERED_BY_DEFAULT,
  })
  outcomes?: DeliveryOutcome[] | null;
}

@InputType({ description: 'The webhook whose finished deliveries are sent again.' })
export class RecoverWebhookInput {
  @Field(() => RecoverWebhookFilter, { description: 'Conditions for the deliveries.' })
  filter!: RecoverWebhookFilter;

  @Field(() => ID, ID_OF_WEBHOOK)
  id!: string;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

@InputType({
  description:
    'Conditions for events: a time range, or one event. Events for a single webhook, such as tests, and operational events about the webhook itself are never included.',
})
class ReplayEventsFilter {
  @Nullable(
    () => [String],
    'Only events of these types, 1 to 100; default: all types that the webhook subscribes to. It must subscribe to one of them, unless `includeUnsubscribed` is set.',
  )
  eventTypes?: string[] | null;

  @Nullable(() => ID, 'Only this event. Excludes `since` and `until`.')
  eventId?: string | null;

  @Nullable(() => Date, 'Only events accepted at this time or later. Required without `eventId`.')
  since?: Date | null;

  @Nullable(() => Date, 'Only events accepted before this time; default: now.')
  until?: Date | null;
}

@InputType({ description: 'The past events and the webhook to deliver them to.' })
export class ReplayEventsInput {
  @Field(() => ReplayEventsFilter, { description: 'Conditions for the events.' })
  filter!: ReplayEventsFilter;

  @Field(() => ID, ID_OF_WEBHOOK)
  webhookId!: string;

  @Nullable(
    () => Boolean,
    'Also events that already have a delivery to this webhook: they get another one with a new id. Also events so old that their deliveries are no longer kept.',
    { defaultValue: false },
  )
  includeDelivered?: boolean | null;

  @Nullable(() => Boolean, 'Also events of types that the webhook does not subscribe to.', { defaultValue: false })
  includeUnsubscribed?: boolean | null;

  @Nullable(() => Boolean, "Also events that do not meet the webhook's filter as it is today.", { defaultValue: false })
  includeFiltered?: boolean | null;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

@InputType({
  description:
    'Conditions for open deliveries, at least one. All of them must be met. `status` is PENDING, WAITING or HELD; default: all of these.',
})
class CancelDeliveriesFilter extends DeliveryFilter {}

@InputType({ description: 'The open deliveries to cancel.' })
export class CancelDeliveriesInput {
  @Field(() => CancelDeliveriesFilter, { description: 'Conditions for the deliveries.' })
  filter!: CancelDeliveriesFilter;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

@InputType({ description: 'The finished deliveries to send again, of any webhooks.' })
export class RecoverDeliveriesInput {
  @Field(() => DeliveryFilter, {
    description:
      'Conditions for the deliveries, as in a list; at least one. `status` is SUCCEEDED, FAILED or CANCELED; default: those that failed, and those canceled because their webhook stayed inactive for too long.',
  })
  filter!: DeliveryFilter;

  @Field(() => Boolean, dryRun)
  dryRun?: boolean | null;
}

export const ATTEMPTED_NOW_MAX = 100;

@InputType({ description: 'The pending deliveries to attempt: either `deliveryIds` or `filter`.' })
export class AttemptNowInput {
  @Nullable(() => [ID], `The ids of 1 to ${ATTEMPTED_NOW_MAX} pending deliveries. Needs \`deliveries:resend\`.`)
  deliveryIds?: string[] | null;

  @Nullable(
    () => DeliveryFilter,
    'Conditions for the deliveries, as in a list; `{}` means all pending ones. `status` is PENDING. Starts a bulk operation, which needs `deliveries:bulk`.',
  )
  filter?: DeliveryFilter | null;

  @Field(() => Boolean, { ...dryRun, description: 'Only count, and change nothing. Only with `filter`.' })
  dryRun?: boolean | null;
}

@ObjectType()
abstract class BulkPayloadFields {
  @Field(() => Int, { description: 'Number of items to work on.' })
  total!: number;

  @Field(() => Boolean, {
    description:
      'True when there may be more items: counting stops after a million rows, but the operation works through all of them.',
  })
  totalCapped!: boolean;

  @Field(() => Int, {
    description:
      'Number of deliveries that match, but are left out because their webhook is inactive or was deleted. Always 0 when the operation is about one webhook, or cancels.',
  })
  leftOut!: number;

  @Nullable(() => BulkOperation, 'The started operation. Null after a dry run.')
  bulkOperation!: BulkOperation | null;
}

@ObjectType({ description: 'The started recovery, or the result of a dry run.' })
export class RecoverWebhookPayload extends BulkPayloadFields {}

@ObjectType({ description: 'The started recovery of any webhooks, or the result of a dry run.' })
export class RecoverDeliveriesPayload extends BulkPayloadFields {}

@ObjectType({ description: 'The deliveries that are due now, or the operation that makes them due.' })
export class AttemptNowPayload extends BulkPayloadFields {
  @mayHold(ATTEMPTED_NOW_MAX)
  @Field(() => [Delivery], {
    description:
      'The deliveries of `deliveryIds`. `nextAttemptAt` says until when one waits whose endpoint asked for a pause. Empty with `filter`.',
  })
  deliveries!: Delivery[];
}

@ObjectType({ description: 'The started replay, or the result of a dry run.' })
export class ReplayEventsPayload extends BulkPayloadFields {}

@ObjectType({ description: 'The started cancellation, or the result of a dry run.' })
export class CancelDeliveriesPayload extends BulkPayloadFields {}

@InputType()
abstract class BulkOperationInput {
  @Field(() => ID, { description: 'The id of the operation.' })
  id!: string;
}

@ObjectType()
abstract class BulkOperationPayload {
  @Field(() => BulkOperation, { description: 'The operation after the change.' })
  bulkOperation!: BulkOperation;
}

@InputType({ description: 'The bulk operation to cancel. It must be running or paused.' })
export class CancelBulkOperationInput extends BulkOperationInput {}

@ObjectType({ description: 'The canceled operation. A chunk that was under way is included.' })
export class CancelBulkOperationPayload extends BulkOperationPayload {}

@InputType({ description: 'The bulk operation to resume. It must have been canceled or have failed.' })
export class ResumeBulkOperationInput extends BulkOperationInput {}

@ObjectType({ description: 'The resumed operation, which continues where it stopped.' })
export class ResumeBulkOperationPayload extends BulkOperationPayload {}

@InputType({ description: 'Conditions for bulk operations.' })
export class BulkOperationFilter {
  @Nullable(() => BulkStatus, 'Only operations in this state.')
  status?: BulkStatus | null;
}
