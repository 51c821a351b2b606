import 'reflect-metadata';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Extensions, Field, ID, InterfaceType } from 'type-graphql';
import { globalId, type NodeType, type NumberedType } from '../domain/ids/global-id.js';

/** Where the schema has how the global id that a field shows is made from the field's object. */
export const GLOBAL_ID = 'globalId';

@InterfaceType({ description: 'An object with an id of its own, which `node` finds it by.' })
export abstract class Node {
  @Field(() => ID, { description: 'Unique among the objects of all types, such as `wh_12`.' })
  id!: unknown;
}

interface ShownId {
  description: string;
  nullable?: boolean;
  /** Of the field, if the property has another one. */
  name?: string;
}

/** A field that shows the id of an object of this type. The property has its number, or null. */
export function ShowsIdOf(type: NumberedType, options: ShownId): PropertyDecorator {
  return (target, property) =>
    showsGlobalId(options, (object) => {
      const number = object[property as string] as number | null;
      return number === null ? null : globalId(type, number);
    })(target, property);
}

/**
 * Gives a type whose rows have a number as their `id` the fields `id` and `databaseId`.
 *
 * @param description of `databaseId`
 */
export function NumberedNode(type: NumberedType, description: string): ClassDecorator {
  return (target) => {
    Field(() => GraphQLSafeInt, { name: 'databaseId', description })(target.prototype, 'id');
    KeyedNode(type, ({ id }: { id: number }) => id)(target);
  };
}

/** Gives a type the field `id`. @param keyOf what the id is made from */
export function KeyedNode<Row>(type: NodeType, keyOf: (row: Row) => number | string): ClassDecorator {
  const description = 'Unique among the objects of all types; `node` finds it by this.';
  return (target) =>
    showsGlobalId({ name: 'id', description }, (row) => globalId(type, keyOf(row as Row)))(target.prototype, GLOBAL_ID);
}

type IdOfObject = (object: Record<string, unknown>) => string | null;

function showsGlobalId(options: ShownId, idOf: IdOfObject): PropertyDecorator {
  return (target, property) => {
    Field(() => ID, options)(target, property);
    Extensions({ [GLOBAL_ID]: idOf })(target as object, property);
  };
}
