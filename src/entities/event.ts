import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { idToDate } from '../domain/ids/delivery-id.js';
import { idColumn, shown, tenantFilter } from './columns.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';

@Entity({ schema: 'hookwright', tableName: 'events' })
@Filter(tenantFilter())
@NumberedNode('Event', 'The number of the event. Later events have higher numbers.')
@ObjectType({
  implements: Node,
  description: 'Something that happened, accepted from a producer and sent to every matching webhook.',
})
export class Event {
  @PrimaryKey(idColumn())
  id!: number;

  @Property(idColumn())
  tenantId!: number;

  @shown.text('The name of the event type.')
  eventType!: string;

  @shown.nullableText('The key by which webhooks order the event. Null when it was emitted without one.')
  orderingKey!: string | null;

  /**
   * The bytes of the payload, which every attempt signs and sends. They may be long, so an entity has them only just
   * after the emit; otherwise operations/explorer/read-bodies.ts reads them.
   */
  @Property({ type: 'text', lazy: true })
  body?: string;

  /** The state before the change, which is read as `body` is. */
  @Property({ type: 'text', lazy: true, nullable: true })
  previous?: string | null;

  /** The public field is in api/graphql/deliveries/event.ts. */
  @Property({ type: 'string[]', columnType: 'bigint[]', nullable: true })
  targets?: string[] | null;

  /** The version of its type that the body was checked by; null: one without a converter. */
  @Property({ type: 'integer', nullable: true, hidden: true })
  typeVersion!: number | null;

  @Property({ ...idColumn(), nullable: true })
  @ShowsIdOf('Webhook', {
    nullable: true,
    description: 'The only webhook that this event is for, as with tests. Null when it is for all subscribed webhooks.',
  })
  onlyWebhookId!: number | null;

  @shown.nullableTime(
    'When its payload was erased, by `eraseEvents` or because its retention time was over. Null while there is one.',
  )
  erasedAt!: Date | null;

  /** The size of the body that was erased. */
  @Property({ type: 'integer', nullable: true, hidden: true })
  erasedBytes!: number | null;

  @Field(() => Date, { description: 'When the event was accepted.' })
  get createdAt(): Date {
    return idToDate(this.id);
  }
}
