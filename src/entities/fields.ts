import 'reflect-metadata';
import type { PropertyOptions } from '@mikro-orm/core';
import { Property } from '@mikro-orm/decorators/legacy';
import { Field as GraphqlField, InputType, ObjectType } from 'type-graphql';
import { type Field, type Fields, flat, type Group, isNullable, optionName, setName } from '../domain/fields/field.js';
import { graphqlEnum } from './graphql-enum.js';
import { JSONObject } from './scalars.js';

type Column = PropertyOptions<object>;

const kinds: { [Kind in Field['kind']]: { column: Column; type: () => object } } = {
  url: { column: { type: 'text' }, type: () => String },
  text: { column: { type: 'text' }, type: () => String },
  eventTypes: { column: { type: 'string[]', columnType: 'text[]' }, type: () => [String] },
  textMap: { column: { type: 'json', columnType: 'jsonb' }, type: () => JSONObject },
};

/** Gives an entity the columns of the fields that its row has: the noun's own, or the one beside it. */
export const Stored =
  (fields: Fields, row: 'own' | 'beside' = 'own'): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of flat(fields).filter(([, { beside }]) => (beside === true) === (row === 'beside'))) {
      const column = field.secret ? { type: 'blob', hidden: true } : kinds[field.kind].column;
      Property<object>({ ...column, nullable: isNullable(field) })(prototype as object, name);
    }
  };

/** How GraphQL shows a field to readers. */
export const shownType = (
  field: Field | Group,
): [type: () => object, options: { nullable: boolean; description: string }] => {
  const nullable = field.kind !== 'group' && field.optional === true && field.default === undefined;
  return [typeOf(field, 'shown'), { nullable, description: field.description }];
};

/**
 * Gives an input of GraphQL the fields of a noun.
 *
 * @param of a new object, or of a change, which may leave out any field
 */
export const Taken =
  (fields: Fields, of: 'new' | 'change'): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of Object.entries(fields)) {
      const group = field.kind === 'group';
      const nullable = of === 'change' || group || isNullable(field);
      GraphqlField(typeOf(field, 'taken'), { nullable, description: field.input })(prototype as object, name);
    }
  };

/** The classes of a group are made at once: type-graphql wants to know all of them when it makes the schema. */
function typeOf(field: Field | Group, as: 'shown' | 'taken'): () => object {
  const type = field.kind === 'group' ? typesOf(field)[as] : undefined;
  return field.kind === 'group' ? () => type! : kinds[field.kind].type;
}

const made = new Map<Group, { shown: object; taken: object }>();

/** The types of a group in GraphQL, for readers and for writers. */
function typesOf(group: Group): { shown: object; taken: object } {
  const known = made.get(group) ?? makeTypes(group);
  made.set(group, known);
  return known;
}

function makeTypes(group: Group): { shown: object; taken: object } {
  const [shown, taken] = [class {}, class {}];
  const members = Object.entries(group.fields) as [string, Field][];
  ObjectType(group.type, { description: group.description })(shown);
  for (const [name, field] of members) {
    const description = `Whether it is set. ${field.description}`;
    const isSet = GraphqlField(() => Boolean, { description });
    (field.secret ? isSet : GraphqlField(...shownType(field)))(shown.prototype, field.secret ? setName(name) : name);
  }
  InputType(`${group.type}Input`, { description: group.input })(taken);
  Taken(group.fields as Fields, 'change')(taken);
  if (group.option !== undefined) {
    const values = Object.fromEntries(members.map(([name, { description }]) => [optionName(name), description]));
    const option = graphqlEnum(group.option, 'A field of the group.', values);
    const own = 'The fields that are set here. The others have values of the tenant or the installation, or none.';
    GraphqlField(() => [option], { description: own })(shown.prototype, 'own');
    const reset = 'Fields that go back to the value of the tenant or the installation, or to none.';
    GraphqlField(() => [option], { nullable: true, description: reset })(taken.prototype, 'reset');
  }
  return { shown, taken };
}
