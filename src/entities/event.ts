import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { idToDate } from '../domain/ids/delivery-id.js';
import { idColumn, tenantFilter } from './columns.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';

@Entity({ schema: 'hookwright', tableName: 'events' })
@Filter(tenantFilter())
@NumberedNode('Event', 'Its number; later events have higher ones.')
@ObjectType({
  implements: Node,
  description: 'Something that happened, accepted from a producer and sent to every matching webhook.',
})
export class Event {
  @PrimaryKey(idColumn())
  id!: number;

  @Property(idColumn())
  tenantId!: number;

  @Property({ type: 'text' })
  @Field(() => String, { description: 'The name of its event type.' })
  eventType!: string;

  /**
   * The payload's bytes, fixed when the event was accepted; every attempt signs and sends exactly these. Not read with
   * the row, since they may be many: operations/explorer/read-bodies.ts does that. One that was just emitted has them.
   */
  @Property({ type: 'text', lazy: true })
  body?: string;

  @Property({ ...idColumn(), nullable: true })
  @ShowsIdOf('Webhook', {
    nullable: true,
    description:
      'The one webhook that it was meant for, whatever that subscribed to, as tests are; null: all that subscribed.',
  })
  onlyWebhookId!: number | null;

  @Field(() => Date, { description: 'When it was accepted.' })
  get createdAt(): Date {
    return idToDate(this.id);
  }
}
