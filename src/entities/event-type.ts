import { OptionalProps } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType } from 'type-graphql';
import { creationTimeColumn, nullableTimeColumn } from './columns.js';
import { KeyedNode, Node } from './node.js';

/** The registry is one for the whole installation, so no tenant filter stands here. */
@Entity({ schema: 'hookwright', tableName: 'event_types' })
@KeyedNode('EventType', ({ name }: EventType) => name)
@ObjectType({ implements: Node, description: 'A kind of event that can be emitted and subscribed to.' })
export class EventType {
  [OptionalProps]?: 'version' | 'reserved' | 'createdAt';

  @PrimaryKey({ type: 'text' })
  @Field(() => String, { description: 'Such as `booking.created`.' })
  name!: string;

  @Property({ type: 'text' })
  @Field(() => String, { description: 'When events of this type are fired.' })
  description!: string;

  /** JSON Schema 2020-12 of the payload, as text. Its public field is in graphql/event-types/event-type.ts. */
  @Property({ type: 'text' })
  schema!: string;

  /** Counted by a trigger, so that no writer can change a schema and leave no version behind. */
  @Property({ type: 'integer', defaultRaw: '1' })
  @Field(() => Int, { description: 'Which schema this is: 1 at first, and one more with each other one.' })
  version!: number;

  /** The payload's fields, when the schema says no more than that they are texts: then SQL can check it too. */
  @Property({ type: 'string[]', columnType: 'text[]', nullable: true, hidden: true })
  textFields!: string[] | null;

  /** JSON; null: none was found. */
  @Property({ type: 'text', nullable: true })
  samplePayload!: string | null;

  @Property({ type: 'boolean', defaultRaw: 'false' })
  @Field(() => Boolean, { description: 'Only the service itself emits events of this type.' })
  reserved!: boolean;

  @Property(nullableTimeColumn())
  @Field(() => Date, {
    nullable: true,
    description: 'Since when events of this type are refused; null for a current one.',
  })
  deprecatedAt!: Date | null;

  @Property(creationTimeColumn())
  @Field(() => Date, { description: 'When it was registered.' })
  createdAt!: Date;
}
