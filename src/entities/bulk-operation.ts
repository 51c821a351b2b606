import { OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from './api-key.js';
import { AuditActor } from './audit-entry.js';
import { creationTimeColumn, idColumn, nullableTimeColumn, reference, tenantFilter } from './columns.js';
import { Node, NumberedNode } from './node.js';
import { Tenant } from './tenant.js';
import { Webhook } from './webhook.js';

export enum BulkKind {
  RECOVER_WEBHOOK = 'RECOVER_WEBHOOK',
  REPLAY_EVENTS = 'REPLAY_EVENTS',
  CANCEL_DELIVERIES = 'CANCEL_DELIVERIES',
}
registerEnumType(BulkKind, {
  name: 'BulkOperationKind',
  description: 'What a bulk operation does.',
  valuesConfig: {
    RECOVER_WEBHOOK: { description: 'It sends finished deliveries of a webhook again (`recoverWebhook`).' },
    REPLAY_EVENTS: { description: 'It makes new deliveries of past events (`replayEvents`).' },
    CANCEL_DELIVERIES: { description: 'It cancels open deliveries (`cancelDeliveries`).' },
  },
});

export enum BulkStatus {
  RUNNING = 'RUNNING',
  PAUSED = 'PAUSED',
  COMPLETED = 'COMPLETED',
  CANCELED = 'CANCELED',
  FAILED = 'FAILED',
}
registerEnumType(BulkStatus, {
  name: 'BulkOperationStatus',
  description: 'Where a bulk operation stands.',
  valuesConfig: {
    RUNNING: { description: 'It is under way, chunk by chunk.' },
    PAUSED: { description: 'Its webhook is inactive. It goes on by itself when the webhook is enabled.' },
    COMPLETED: {
      description: 'It has gone through all. What it queued may still be waiting for its turn at the endpoint.',
    },
    CANCELED: {
      description:
        'Somebody canceled it, or its webhook was deleted (then `error` says so). What it had done stays done.',
    },
    FAILED: { description: 'A fault of the service ended it; it can be resumed.' },
  },
});

@Entity({ schema: 'hookwright', tableName: 'bulk_operations' })
@Filter(tenantFilter())
@NumberedNode('BulkOperation', 'Its number, as logs have it.')
@ObjectType({
  implements: Node,
  description: 'Work over many deliveries or events, done in chunks in the order of their ids.',
})
export class BulkOperation {
  [OptionalProps]?: 'status' | 'processed' | 'affected' | 'skipped' | 'createdAt' | 'progress';

  @PrimaryKey(idColumn())
  id!: number;

  @ManyToOne(() => Tenant, reference('tenant_id'))
  tenantId!: number;

  @Enum({ items: () => BulkKind, type: 'text' })
  @Field(() => BulkKind, { description: 'What it does.' })
  kind!: BulkKind;

  @Enum({ items: () => BulkStatus, type: 'text', default: BulkStatus.RUNNING })
  @Field(() => BulkStatus, { description: 'Where it stands.' })
  status!: BulkStatus;

  @ManyToOne(() => Webhook, { ...reference('webhook_id'), nullable: true })
  webhookId!: number | null;

  /** Of what it goes through: the first id that is in, the first one that is out, and the last one it has looked at. */
  @Property({ ...idColumn(), hidden: true })
  fromId!: number;

  @Property({ ...idColumn(), hidden: true })
  toId!: number;

  @Property({ ...idColumn(), hidden: true })
  cursorId!: number;

  /** Who started it, as in the audit log. */
  @Enum({ items: () => AuditActor, type: 'text', hidden: true })
  actor!: AuditActor;

  @ManyToOne(() => ApiKey, { ...reference('api_key_id'), nullable: true, hidden: true })
  apiKeyId!: number | null;

  @Property({ type: 'text', nullable: true, hidden: true })
  requestId!: string | null;

  /** JSON. */
  @Property({ type: 'text' })
  filter!: string;

  @Property({ type: 'integer' })
  @Field(() => Int, {
    description:
      'How many it found to do when it was started. Counting ends when a million rows have been looked at; it goes through all.',
  })
  total!: number;

  @Property({ type: 'integer', default: 0 })
  @Field(() => Int, { description: 'How many it has gone through: `affected` and `skipped` together.' })
  processed!: number;

  @Property({ type: 'integer', default: 0 })
  @Field(() => Int, { description: 'Deliveries that it sent again, made or canceled.' })
  affected!: number;

  @Property({ type: 'integer', default: 0 })
  @Field(() => Int, {
    description:
      'What it left alone because it had changed in the moment before its turn came, or cannot be sent again because its event is not kept any more.',
  })
  skipped!: number;

  @Property(creationTimeColumn())
  @Field(() => Date, { description: 'When it was started.' })
  createdAt!: Date;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When it ended; null while it is running or paused.' })
  finishedAt!: Date | null;

  @Property({ type: 'text', nullable: true })
  @Field(() => String, {
    nullable: true,
    description: 'Why the service ended it before its time; null when it did not, also when somebody canceled it.',
  })
  error!: string | null;

  @Field(() => Float, { description: 'How far it has come, from 0 to 1.' })
  get progress(): number {
    if (this.status === BulkStatus.COMPLETED) {
      return 1;
    }
    // `total` is what there was at the start: by the end it may have been less, or more.
    return this.total === 0 ? 0 : Math.min(this.processed / this.total, 0.99);
  }
}
