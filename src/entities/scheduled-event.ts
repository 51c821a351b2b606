import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { idColumn, shown, tenantFilter } from './columns.js';
import { graphqlEnum } from './graphql-enum.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';

export const ScheduledEventStatus = graphqlEnum('ScheduledEventStatus', 'The state of a scheduled event.', {
  SCHEDULED: 'The event is emitted at its time, unless it is canceled.',
  EMITTED: 'The event was emitted.',
  CANCELED: 'The event was canceled. `error` says why if the service did it.',
});
export type ScheduledEventStatus = keyof typeof ScheduledEventStatus;

@Entity({ schema: 'hookwright', tableName: 'scheduled_events' })
@Filter(tenantFilter())
@NumberedNode('ScheduledEvent', 'The number of the scheduled event.')
@ObjectType({
  implements: Node,
  description: 'An event that is created at its time. It is kept for 30 days after it was emitted or canceled.',
})
export class ScheduledEvent {
  @PrimaryKey(idColumn())
  id!: number;

  @Property(idColumn())
  tenantId!: number;

  @shown.text('The name of the event type.')
  eventType!: string;

  /** The bytes of the payload, which may be long: an entity has them only just after it was made. */
  @Property({ type: 'text', lazy: true })
  body?: string;

  @shown.time('When the event is due. An event that was scheduled for a time in the past was due at once.')
  deliverAt!: Date;

  @shown.nullableText('The key with which the event is emitted. Null when it was scheduled without one.')
  idempotencyKey!: string | null;

  @shown.nullableText('The key by which webhooks order the event. Null when it was scheduled without one.')
  orderingKey!: string | null;

  @shown.enum(() => ScheduledEventStatus, 'The state of the scheduled event.')
  status!: ScheduledEventStatus;

  @Property({ ...idColumn(), nullable: true })
  @ShowsIdOf('Event', {
    nullable: true,
    description:
      'The event that was emitted. An event that had been emitted with the same idempotency key before is the same.',
  })
  eventId!: number | null;

  @shown.nullableText(
    'Why the service canceled it at its time: IDEMPOTENCY_KEY_REUSED, when its key was used for another event meanwhile. Null otherwise.',
  )
  error!: string | null;

  @shown.nullableTime('When its payload was erased. Null while there is one.')
  erasedAt!: Date | null;

  /** The state before the change, for its event. */
  @Property({ type: 'text', lazy: true, nullable: true })
  previous?: string | null;

  @Property({ type: 'json', columnType: 'jsonb', lazy: true, nullable: true })
  targets?: object | null;

  @shown.nullableInteger('For how many hours its payload is kept after it was emitted. Null: as long as others are.')
  keepHours!: number | null;

  @shown.time('When the event was scheduled.')
  createdAt!: Date;

  @shown.nullableTime('When the event was emitted or canceled. Null while it is scheduled.')
  finishedAt!: Date | null;
}
