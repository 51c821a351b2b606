import 'reflect-metadata';
import { Float, Field as GraphqlField, InputType, Int, ObjectType } from 'type-graphql';
import {
  type AnyField,
  type Choice,
  type Fields,
  type Group,
  type Kind,
  type OfKind,
  optionName,
  shownName,
} from '../../../domain/fields/field.js';
import { inputNames, isNullable } from '../../../domain/fields/field-table.js';
import { DeliveryAuth, DeliveryAuthInput } from '../../../entities/delivery-auth.js';
import { DeliveryHeader, DeliveryHeaderInput } from '../../../entities/delivery-header.js';
import { DeliveryTls, DeliveryTlsInput } from '../../../entities/delivery-tls.js';
import { EventFilterInput } from '../../../entities/event-filter.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { OptionWarning } from '../../../entities/option-warning.js';
import { JSONObject, JSONValue } from '../../../entities/scalars.js';

type TypeOf = () => object;

/** A kind in GraphQL: its type for readers, and the types of its inputs, some with descriptions of their own. */
interface GraphqlKind<One extends AnyField> {
  shown(field: One): TypeOf;
  taken(field: One): [type: TypeOf, description?: string][];
}

const as = (shown: TypeOf, taken = shown): GraphqlKind<AnyField> => ({ shown: () => shown, taken: () => [[taken]] });

const kinds: { [One in Kind]: GraphqlKind<OfKind<One>> } = {
  text: {
    shown:
      ({ secret }) =>
      () =>
        secret ? Boolean : String,
    taken: () => [[() => String]],
  },
  url: as(() => String),
  eventTypes: as(() => [String]),
  textMap: as(() => JSONObject),
  number: { shown: numberOf, taken: (field) => [[numberOf(field)]] },
  delays: as(
    () => [Float],
    () => [Int],
  ),
  boolean: as(() => Boolean),
  choice: { shown: enumOf, taken: (field) => [[enumOf(field)]] },
  headers: {
    shown: () => () => [DeliveryHeader],
    taken: () => [
      [
        () => [DeliveryHeaderInput],
        'Headers to add or to replace, by their names; the others stay. Those of the service and of the connection are refused.',
      ],
      [() => [String], 'Names of headers to remove. A name that is not set is ignored.'],
    ],
  },
  auth: as(
    () => DeliveryAuth,
    () => DeliveryAuthInput,
  ),
  tls: as(
    () => DeliveryTls,
    () => DeliveryTlsInput,
  ),
  filter: as(
    () => JSONObject,
    () => EventFilterInput,
  ),
  message: as(() => String),
  template: as(() => JSONValue),
  shape: as(() => String),
  path: as(() => String),
  group: { shown: (group) => typesOf(group).shown, taken: (group) => [[typesOf(group).taken]] },
};

const kindOf = ({ kind }: AnyField): GraphqlKind<AnyField> => kinds[kind];

function numberOf({ whole }: OfKind<'number'>): TypeOf {
  return () => (whole ? Int : Float);
}

const enums = new Map<string, object>();

/** The enum of a choice: one for all fields that name it. */
function enumOf({ type, about, values }: Choice): TypeOf {
  const known = enums.get(type) ?? graphqlEnum(type, about, values);
  enums.set(type, known);
  return () => known;
}

/** How GraphQL shows a field to readers, who learn of a secret only whether it is set. */
export const shownType = (field: AnyField): [type: TypeOf, options: { nullable: boolean; description: string }] => {
  const nullable = field.optional === true && field.default === undefined && !field.secret;
  const description = field.secret ? `Whether it is set. ${field.description}` : field.description;
  return [kindOf(field).shown(field), { nullable, description }];
};

/** The input of GraphQL for a field. */
export const takenType = (field: AnyField): TypeOf => kindOf(field).taken(field)[0]![0];

/**
 * Gives an input of GraphQL the fields of a noun.
 *
 * @param of a new object, or of a change, which may leave out any field
 */
export const Taken =
  (fields: Fields, of: 'new' | 'change'): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of Object.entries(fields)) {
      const nullable = of === 'change' || isNullable(field);
      for (const [index, [type, description = field.input]] of kindOf(field).taken(field).entries()) {
        GraphqlField(type, { nullable, description })(prototype as object, inputNames(name, field)[index]!);
      }
    }
  };

/** The classes of a group are made at once: type-graphql wants to know all of them when it makes the schema. */
const made = new Map<Group, { shown: TypeOf; taken: TypeOf }>();

/** The types of a group in GraphQL, for readers and for writers. */
function typesOf(group: Group): { shown: TypeOf; taken: TypeOf } {
  const known = made.get(group) ?? makeTypes(group);
  made.set(group, known);
  return known;
}

function makeTypes(group: Group): { shown: TypeOf; taken: TypeOf } {
  const [shown, taken] = [class {}, class {}];
  const members = Object.entries<AnyField>(group.fields);
  ObjectType(group.type, { description: group.description })(shown);
  for (const [name, field] of members) {
    GraphqlField(...shownType(field))(shown.prototype, shownName(name, field));
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
  return { shown: () => shown, taken: () => taken };
}
