import { OptionalProps } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ObjectType } from 'type-graphql';
import { ApiKey } from './api-key.js';
import type { AuditActor } from './audit-entry.js';
import { idColumn, reference, shown, tenantFilter } from './columns.js';
import { graphqlEnum } from './graphql-enum.js';
import { Node, NumberedNode } from './node.js';
import { Tenant } from './tenant.js';
import { Webhook } from './webhook.js';

const BulkKind = graphqlEnum('BulkOperationKind', 'A kind of bulk operation.', {
  RECOVER_WEBHOOK: 'Sends finished deliveries of a webhook again (`recoverWebhook`).',
  RECOVER_DELIVERIES: 'Sends finished deliveries again, of any webhooks (`recoverDeliveries`).',
  ATTEMPT_NOW: 'Makes retries due at once (`attemptNow`).',
  REPLAY_EVENTS: 'Creates new deliveries of past events (`replayEvents`).',
  CANCEL_DELIVERIES: 'Cancels open deliveries (`cancelDeliveries`).',
  ERASE_EVENTS: 'Erases the payloads of events (`eraseEvents`).',
});
export type BulkKind = keyof typeof BulkKind;

export const BulkStatus = graphqlEnum('BulkOperationStatus', 'The state of a bulk operation.', {
  RUNNING: 'The operation is under way, chunk by chunk.',
  PAUSED: 'The webhook is inactive. The operation goes on by itself when the webhook is enabled.',
  COMPLETED: 'The operation is through. Deliveries that it queued may still be waiting at the endpoint.',
  CANCELED:
    'Somebody canceled the operation, or its webhook was deleted (then `error` says so). Work already done stays done.',
  FAILED: 'A fault of the service ended the operation. It can be resumed, but for an erasure.',
});
export type BulkStatus = keyof typeof BulkStatus;

@Entity({ schema: 'hookwright', tableName: 'bulk_operations' })
@Filter(tenantFilter())
@NumberedNode('BulkOperation', 'The number of the operation, as in logs.')
@ObjectType({
  implements: Node,
  description: 'Work on many deliveries or events, done in chunks in the order of their ids.',
})
export class BulkOperation {
  [OptionalProps]?: 'status' | 'processed' | 'affected' | 'skipped' | 'createdAt' | 'progress';

  @PrimaryKey(idColumn())
  id!: number;

  @ManyToOne(() => Tenant, reference('tenant_id'))
  tenantId!: number;

  @shown.enum(() => BulkKind, 'The kind of operation.')
  kind!: BulkKind;

  @shown.enum(() => BulkStatus, 'The state of the operation.', { default: BulkStatus.RUNNING })
  status!: BulkStatus;

  @ManyToOne(() => Webhook, { ...reference('webhook_id'), nullable: true })
  webhookId!: number | null;

  /** The work is a range of ids: its first id, the first id behind it, and the last id that is done. */
  @Property({ ...idColumn(), hidden: true })
  fromId!: number;

  @Property({ ...idColumn(), hidden: true })
  toId!: number;

  @Property({ ...idColumn(), hidden: true })
  cursorId!: number;

  /** The actor who started the operation, as in the audit log. */
  @Property({ type: 'text', hidden: true })
  actor!: AuditActor;

  @ManyToOne(() => ApiKey, { ...reference('api_key_id'), nullable: true, hidden: true })
  apiKeyId!: number | null;

  @Property({ type: 'text', nullable: true, hidden: true })
  requestId!: string | null;

  /** JSON. */
  @Property({ type: 'text' })
  filter!: string;

  @shown.integer(
    'Number of items found at the start. Counting stops after a million rows, but the operation works through all of them.',
  )
  total!: number;

  @shown.integer('Number of items done so far: `affected` plus `skipped`.', { default: 0 })
  processed!: number;

  @shown.integer(
    'Number of deliveries that were sent again, made due, created or canceled, or of events that were erased.',
    {
      default: 0,
    },
  )
  affected!: number;

  @shown.integer(
    'Number of items left alone, because they had just changed, or because their event is no longer kept.',
    { default: 0 },
  )
  skipped!: number;

  @shown.nullableTime(
    'When an erasure of many events begins: until then it can be canceled. Null when it began at once.',
  )
  beginsAt!: Date | null;

  /** The last scheduled event that an erasure has done. Null when it has done all of them, as another operation has. */
  @Property({ ...idColumn(), nullable: true, hidden: true })
  scheduledCursor!: number | null;

  /** The condition of an erasure, sealed, until it ends. */
  @Property({ type: 'blob', nullable: true, hidden: true, lazy: true })
  sealedField!: Buffer | null;

  @shown.creationTime('When the operation was started.')
  createdAt!: Date;

  @shown.nullableTime('When the operation ended. Null while it is running or paused.')
  finishedAt!: Date | null;

  @shown.nullableText('Why the service ended the operation early. Null otherwise, also when somebody canceled it.')
  error!: string | null;

  @Field(() => Float, { description: 'Progress from 0 to 1.' })
  get progress(): number {
    if (this.status === BulkStatus.COMPLETED) {
      return 1;
    }
    // `total` was counted at the start: by the end there may be fewer items, or more.
    return this.total === 0 ? 0 : Math.min(this.processed / this.total, 0.99);
  }
}
