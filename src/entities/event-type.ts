import { OptionalProps } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { shown } from './columns.js';
import { KeyedNode, Node } from './node.js';

/** All tenants share the event types, so there is no tenant filter. */
@Entity({ schema: 'hookwright', tableName: 'event_types' })
@KeyedNode('EventType', ({ name }: EventType) => name)
@ObjectType({ implements: Node, description: 'A kind of event that can be emitted and subscribed to.' })
export class EventType {
  [OptionalProps]?: 'version' | 'reserved' | 'createdAt';

  @PrimaryKey({ type: 'text' })
  @Field(() => String, { description: 'The name, such as `booking.created`.' })
  name!: string;

  @shown.text('When events of this type are fired.')
  description!: string;

  /** JSON Schema 2020-12 of the payload, as text. The public field is in api/graphql/event-types/event-type.ts. */
  @Property({ type: 'text' })
  schema!: string;

  /** Counted by a trigger, so that every writer of a schema leaves a version behind. */
  @shown.integer('Number of the current schema: 1 for the first, and one more with each new one.', { defaultRaw: '1' })
  version!: number;

  /** The fields of a payload that has only texts, so that SQL can check it. Null for any other schema. */
  @Property({ type: 'string[]', columnType: 'text[]', nullable: true, hidden: true })
  textFields!: string[] | null;

  /** JSON. Null when no sample was found. */
  @Property({ type: 'text', nullable: true })
  samplePayload!: string | null;

  @shown.boolean('True when only the service itself emits events of this type.', { defaultRaw: 'false' })
  reserved!: boolean;

  @shown.nullableTime('When events of this type began to be refused. Null for a current type.')
  deprecatedAt!: Date | null;

  @shown.nullableTime('When the type was hidden from tenants that do not use it. Null for a listed type.')
  hiddenAt!: Date | null;

  @shown.creationTime('When the event type was registered.')
  createdAt!: Date;
}
