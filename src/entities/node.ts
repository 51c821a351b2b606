import 'reflect-metadata';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Extensions, Field, ID, InterfaceType } from 'type-graphql';
import { globalId, type NodeType, type NumberedType } from '../domain/ids/global-id.js';

/** The extension of a field with the function from its object to the global id. */
export const GLOBAL_ID = 'globalId';

@InterfaceType({ description: 'An object that `node` finds by its id.' })
export abstract class Node {
  @Field(() => ID, { description: 'The global id, such as `wh_12`: unique among the objects of all types.' })
  id!: unknown;
}

interface ShownId {
  description: string;
  nullable?: boolean;
  /** The name of the field, if it differs from the property. */
  name?: string;
}

/** Shows the global id of an object of this type. The property has its number, or null. */
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

/** Gives a type the field `id`, made of a key. */
export function KeyedNode<Row>(type: NodeType, keyOf: (row: Row) => number | string): ClassDecorator {
  const description = 'The global id: unique among the objects of all types. Pass it to `node`.';
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
