import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { idToDate } from '../domain/ids/delivery-id.js';
import { idColumn, nullableTimeColumn, shown, tenantFilter, timeColumn } from './columns.js';
import { graphqlEnum } from './graphql-enum.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';

export const DeliveryStatus = graphqlEnum('DeliveryStatus', 'The state of a delivery.', {
  PENDING: 'An attempt is due now or later.',
  WAITING: 'An earlier delivery of its ordering key has not ended. `waitsFor` names it.',
  HELD: 'The webhook is inactive, or was enabled with `held: KEEP`. The delivery waits to be released.',
  SUCCEEDED: 'The endpoint answered 2xx.',
  FAILED: 'All retries are used up, or the endpoint answered 410.',
  CANCELED: 'The delivery will not be sent; `cancelReason` says why.',
});
export type DeliveryStatus = keyof typeof DeliveryStatus;

const CancelReason = graphqlEnum('DeliveryCancelReason', 'Why a delivery was canceled.', {
  WEBHOOK_DELETED: 'The webhook was deleted.',
  HOLD_EXPIRED: 'The webhook stayed inactive for longer than deliveries are held.',
  DISCARDED: 'The webhook was enabled with `held: DISCARD`.',
  EXPIRED: 'The retention time ended before the delivery could be sent.',
  BY_USER: 'Somebody canceled it.',
  SUPERSEDED: 'A later event of its ordering key took its place.',
  ERASED: 'The payload of its event was erased before it was sent.',
  MOVED: 'Its tenant has moved to another cell, which sends it.',
});
export type CancelReason = keyof typeof CancelReason;

@Entity({ schema: 'hookwright', tableName: 'deliveries' })
@Filter(tenantFilter())
@NumberedNode(
  'Delivery',
  'The number of the delivery: the value of the header `X-Service-Delivery` (unless the service is set otherwise), the same on every attempt.',
)
@ObjectType({ implements: Node, description: 'One event on its way to one webhook, in one or several attempts.' })
export class Delivery {
  @PrimaryKey(idColumn())
  id!: number;

  @Property(idColumn())
  tenantId!: number;

  @Property(idColumn())
  @ShowsIdOf('Event', { description: 'The id of the event.' })
  eventId!: number;

  @Property(idColumn())
  @ShowsIdOf('Webhook', { description: 'The id of the webhook, even if it was deleted.' })
  webhookId!: number;

  @shown.text('The name of the event type.')
  eventType!: string;

  @shown.enum(() => DeliveryStatus, 'The state of the delivery.')
  status!: DeliveryStatus;

  @shown.enum(() => CancelReason, 'Why the delivery was canceled. Null when it was not.', { nullable: true })
  cancelReason!: CancelReason | null;

  @shown.integer('Number of attempts so far.')
  attemptCount!: number;

  /** Attempts made before the last redelivery: a redelivery starts a fresh budget of retries. */
  @Property({ type: 'integer' })
  attemptsBefore!: number;

  @shown.nullableText(
    'The key whose order it keeps. An empty text: all deliveries of the webhook. Null: it waits for no other.',
  )
  orderingKey!: string | null;

  /** The public field is in api/graphql/deliveries/delivery.ts. */
  @Property({ type: 'text', nullable: true })
  path!: string | null;

  @Property(timeColumn())
  dueAt!: Date;

  /** Null: it does not settle (docs/decisions/0093). */
  @Property(nullableTimeColumn())
  settlingSince!: Date | null;

  @Property({ ...idColumn(), nullable: true })
  supersededBy!: number | null;

  @shown.nullableTime(
    'When the delivery succeeded, failed for good or was canceled. Null while it is pending, waiting or held.',
  )
  finishedAt!: Date | null;

  @shown.nullableInteger(
    'HTTP status of the answer to the latest attempt. Null when there was no answer or no attempt yet.',
  )
  lastStatusCode!: number | null;

  @shown.nullableText('The `errorCode` of the latest attempt. Null when it succeeded or there was no attempt yet.')
  lastErrorCode!: string | null;

  @shown.boolean(
    'True for a check (`checkWebhook`): sent once, whatever state the webhook has, and without an effect on its health.',
  )
  isCheck!: boolean;

  @Field(() => Date, { description: 'When the delivery was created: with its event, or later by `replayEvents`.' })
  get createdAt(): Date {
    return idToDate(this.id);
  }
}
