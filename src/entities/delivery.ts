import { Entity, Enum, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { idToDate } from '../domain/ids/delivery-id.js';
import { idColumn, nullableTimeColumn, tenantFilter, timeColumn } from './columns.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';

export enum DeliveryStatus {
  PENDING = 'PENDING',
  HELD = 'HELD',
  SUCCEEDED = 'SUCCEEDED',
  FAILED = 'FAILED',
  CANCELED = 'CANCELED',
}
registerEnumType(DeliveryStatus, {
  name: 'DeliveryStatus',
  description: 'Where a delivery stands.',
  valuesConfig: {
    PENDING: { description: 'An attempt is due now or later.' },
    HELD: { description: 'Its webhook is inactive, or was enabled with `held: KEEP`; it waits to be released.' },
    SUCCEEDED: { description: 'The endpoint answered 2xx.' },
    FAILED: { description: 'All retries are used up, or the endpoint answered 410.' },
    CANCELED: { description: 'It will not be sent; `cancelReason` says why.' },
  },
});

export enum CancelReason {
  WEBHOOK_DELETED = 'WEBHOOK_DELETED',
  HOLD_EXPIRED = 'HOLD_EXPIRED',
  DISCARDED = 'DISCARDED',
  EXPIRED = 'EXPIRED',
  BY_USER = 'BY_USER',
}
registerEnumType(CancelReason, {
  name: 'DeliveryCancelReason',
  description: 'Why a delivery was canceled.',
  valuesConfig: {
    WEBHOOK_DELETED: { description: 'Its webhook was deleted.' },
    HOLD_EXPIRED: { description: 'Its webhook stayed inactive for longer than deliveries are held.' },
    DISCARDED: { description: 'Its webhook was enabled with `held: DISCARD`.' },
    EXPIRED: { description: 'It reached the end of the retention time before it could be sent.' },
    BY_USER: { description: 'Somebody canceled it.' },
  },
});

@Entity({ schema: 'hookwright', tableName: 'deliveries' })
@Filter(tenantFilter())
@NumberedNode(
  'Delivery',
  'Its number: the value of the header `X-Service-Delivery` (unless the service is set otherwise), the same on every attempt.',
)
@ObjectType({ implements: Node, description: 'One event on its way to one webhook, through one attempt or several.' })
export class Delivery {
  @PrimaryKey(idColumn())
  id!: number;

  @Property(idColumn())
  tenantId!: number;

  @Property(idColumn())
  @ShowsIdOf('Event', { description: 'The id of its event.' })
  eventId!: number;

  @Property(idColumn())
  @ShowsIdOf('Webhook', { description: 'The id of the webhook that it goes to, also of a deleted one.' })
  webhookId!: number;

  @Property({ type: 'text' })
  @Field(() => String, { description: "The name of its event's type." })
  eventType!: string;

  @Enum({ items: () => DeliveryStatus, type: 'text' })
  @Field(() => DeliveryStatus, { description: 'Where it stands.' })
  status!: DeliveryStatus;

  @Enum({ items: () => CancelReason, type: 'text', nullable: true })
  @Field(() => CancelReason, { nullable: true, description: 'Why it was canceled; null when it was not.' })
  cancelReason!: CancelReason | null;

  @Property({ type: 'integer' })
  @Field(() => Int, { description: 'Attempts made so far.' })
  attemptCount!: number;

  /** Attempts made before the last redelivery: a redelivery starts a fresh budget of retries. */
  @Property({ type: 'integer' })
  attemptsBefore!: number;

  @Property(timeColumn())
  dueAt!: Date;

  @Property(nullableTimeColumn())
  @Field(() => Date, {
    nullable: true,
    description: 'When it succeeded, failed for good or was canceled; null while it is pending or held.',
  })
  finishedAt!: Date | null;

  @Property({ type: 'integer', nullable: true })
  @Field(() => Int, {
    nullable: true,
    description:
      'The HTTP status that the latest attempt was answered with; null when it got no answer, and before the first one.',
  })
  lastStatusCode!: number | null;

  @Property({ type: 'text', nullable: true })
  @Field(() => String, {
    nullable: true,
    description: 'Why the latest attempt failed, as its `errorCode`; null when it succeeded, and before the first one.',
  })
  lastErrorCode!: string | null;

  @Field(() => Date, { description: 'When it was made: with its event, or later by `replayEvents`.' })
  get createdAt(): Date {
    return idToDate(this.id);
  }
}
