import 'reflect-metadata';
import { ArrayType, type PropertyOptions } from '@mikro-orm/core';
import { Property } from '@mikro-orm/decorators/legacy';
import { Float, Field as GraphqlField, InputType, Int, ObjectType } from 'type-graphql';
import {
  type Choice,
  type Field,
  type Fields,
  flat,
  type Group,
  inputNames,
  isNullable,
  optionName,
  setName,
} from '../domain/fields/field.js';
import { DeliveryAuth, DeliveryAuthInput } from './delivery-auth.js';
import { DeliveryHeader, DeliveryHeaderInput } from './delivery-header.js';
import { EventFilterInput } from './event-filter.js';
import { graphqlEnum } from './graphql-enum.js';
import { OptionWarning } from './option-warning.js';
import { JSONObject, JSONValue } from './scalars.js';

type Column = PropertyOptions<object>;

const kinds: {
  [Kind in Exclude<Field['kind'], 'number' | 'choice'>]: { column: Column; type: () => object; taken?: () => object };
} = {
  url: { column: { type: 'text' }, type: () => String },
  text: { column: { type: 'text' }, type: () => String },
  eventTypes: { column: { type: 'string[]', columnType: 'text[]' }, type: () => [String] },
  textMap: { column: { type: 'json', columnType: 'jsonb' }, type: () => JSONObject },
  delays: { column: { type: new ArrayType(Number), columnType: 'integer[]' }, type: () => [Float], taken: () => [Int] },
  headers: { column: { type: 'json', columnType: 'jsonb' }, type: () => [DeliveryHeader] },
  auth: { column: { type: 'json', columnType: 'jsonb' }, type: () => DeliveryAuth, taken: () => DeliveryAuthInput },
  filter: { column: { type: 'json', columnType: 'jsonb' }, type: () => JSONObject, taken: () => EventFilterInput },
  message: { column: { type: 'text' }, type: () => String },
  template: { column: { type: 'json', columnType: 'json' }, type: () => JSONValue },
  // Not jsonb, which cannot have every name of a payload.
  shape: { column: { type: 'json', columnType: 'json' }, type: () => String },
  path: { column: { type: 'text' }, type: () => String },
};
const numbers: Record<'whole' | 'other', (typeof kinds)['text']> = {
  whole: { column: { type: 'integer' }, type: () => Int },
  other: { column: { type: 'double' }, type: () => Float },
};

function kindOf(field: Field): (typeof kinds)['text'] {
  switch (field.kind) {
    case 'number':
      return numbers[field.whole ? 'whole' : 'other'];
    case 'choice': {
      const type = enumOf(field);
      return { column: { type: 'text' }, type: () => type };
    }
    default:
      return kinds[field.kind];
  }
}

const enums = new Map<string, object>();

/** The enum of a choice: one for all fields that name it. */
function enumOf({ type, about, values }: Choice): object {
  const known = enums.get(type) ?? graphqlEnum(type, about, values);
  enums.set(type, known);
  return known;
}

/** Gives an entity the columns of the fields that its row has: the noun's own, or its options row. */
export const Stored =
  (fields: Fields, row: 'own' | 'options' = 'own'): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of flat(fields).filter(
      ([, { optionsRow }]) => (optionsRow === true) === (row === 'options'),
    )) {
      const column = field.secret ? { type: 'blob', hidden: true } : kindOf(field).column;
      const named = field.column === undefined ? {} : { fieldName: field.column };
      Property<object>({ ...column, ...named, nullable: isNullable(field) })(prototype as object, name);
    }
  };

/** How GraphQL shows a field to readers. */
export const shownType = (
  field: Field | Group,
): [type: () => object, options: { nullable: boolean; description: string }] => {
  const nullable = field.kind !== 'group' && field.optional === true && field.default === undefined;
  return [typeOf(field, 'shown'), { nullable, description: field.description }];
};

/** The input of GraphQL for a field. */
export const takenType = (field: Field | Group): (() => object) => typeOf(field, 'taken');

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
      if (field.kind === 'headers') {
        takeHeaders(prototype as object, name);
      } else {
        GraphqlField(typeOf(field, 'taken'), { nullable, description: field.input })(prototype as object, name);
      }
    }
  };

function takeHeaders(prototype: object, name: string): void {
  const [set, remove] = inputNames(name, { kind: 'headers' }) as [string, string];
  const setDescription =
    'Headers to add or to replace, by their names; the others stay. Those of the service and of the connection are refused.';
  GraphqlField(() => [DeliveryHeaderInput], { nullable: true, description: setDescription })(prototype, set);
  const removeDescription = 'Names of headers to remove. A name that is not set is ignored.';
  GraphqlField(() => [String], { nullable: true, description: removeDescription })(prototype, remove);
}

/** The classes of a group are made at once: type-graphql wants to know all of them when it makes the schema. */
function typeOf(field: Field | Group, as: 'shown' | 'taken'): () => object {
  const type = field.kind === 'group' ? typesOf(field)[as] : undefined;
  if (field.kind === 'group') {
    return () => type!;
  }
  const { taken, type: shown } = kindOf(field);
  return as === 'taken' ? (taken ?? shown) : shown;
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
  if (group.warns) {
    const description = 'Possible mistakes in these values.';
    GraphqlField(() => [OptionWarning], { description })(shown.prototype, 'warnings');
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
