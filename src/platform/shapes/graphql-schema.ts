import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLIncludeDirective,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLSkipDirective,
  GraphQLString,
} from 'graphql';
import {
  CHANGES,
  EVENT,
  type EventObjectType,
  type ObjectType,
  PREVIOUS_FIELD,
  type ValueType,
} from '../../domain/content/shape/schema-types.js';

const scalar = (name: string, description: string) => new GraphQLScalarType({ name, description });
const time = scalar('DateTime', 'A time in ISO 8601, such as `2026-01-31T09:30:00.000Z`.');
const scalars = {
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  Float: GraphQLFloat,
  SafeInt: scalar('SafeInt', 'A whole number, exact up to 2⁵³.'),
  JSON: scalar('JSON', 'Any JSON, as it is in the payload. It has no fields.'),
} as const;

const paths = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString)));
const changesType = new GraphQLObjectType({
  name: CHANGES,
  description: 'The paths that differ from the state before, at most 1,000, such as `lines[0].sku`.',
  fields: Object.fromEntries(
    Object.entries({
      added: { type: paths, description: 'Values that were not there before.' },
      updated: { type: paths, description: 'Values that were others before.' },
      removed: { type: paths, description: 'Values that are no longer there.' },
      truncated: { type: new GraphQLNonNull(GraphQLBoolean), description: 'Whether there are more paths.' },
    }).map(([name, field]) => [name, { ...field, extensions: { property: name } }]),
  ),
});

const eventFields = {
  id: { type: new GraphQLNonNull(GraphQLID), description: 'The number of the event.' },
  type: { type: new GraphQLNonNull(GraphQLString), description: 'The name of the event type.' },
  time: { type: new GraphQLNonNull(time), description: 'When the event was accepted.' },
  payload: { type: new GraphQLNonNull(scalars.JSON), description: 'The whole payload.' },
  changes: { type: changesType, description: 'What has changed. Null unless the event has the state before.' },
} as const;

const eventInterface = new GraphQLInterfaceType({
  name: EVENT,
  description: 'An event of any type.',
  fields: eventFields,
});
const root = { event: { type: new GraphQLNonNull(eventInterface), description: 'The event that is sent.' } };
const queryType = new GraphQLObjectType({
  name: 'Query',
  description: 'A shape is a subscription. This type is here because GraphQL asks every schema for one.',
  fields: root,
});
const subscriptionType = new GraphQLObjectType({
  name: 'Subscription',
  description: 'What a shape begins with.',
  fields: root,
});

/** GraphQL prints an empty description too. */
const described = (description: string) => (description === '' ? {} : { description });

/** The schema that shapes are written with. Its fields carry the names that they have in payloads. */
export function shapeSchema(types: readonly EventObjectType[]): GraphQLSchema {
  const known = new Map<ObjectType, GraphQLObjectType>();
  const outputOf = (type: ValueType): GraphQLOutputType => {
    if (typeof type === 'string') {
      return scalars[type];
    }
    return 'item' in type ? new GraphQLList(outputOf(type.item)) : objectOf(type);
  };
  const fieldsOf = ({ fields }: ObjectType) =>
    [...fields].map(([name, { property, type, description }]) => [
      name,
      { type: outputOf(type), extensions: { property }, ...described(description) },
    ]);
  const objectOf = (type: ObjectType): GraphQLObjectType => {
    const found =
      known.get(type) ??
      new GraphQLObjectType({
        name: type.name,
        ...described(type.description),
        fields: () => Object.fromEntries(fieldsOf(type)),
      });
    known.set(type, found);
    return found;
  };
  const events = types.map(
    (type) =>
      new GraphQLObjectType({
        name: type.name,
        ...described(type.description),
        interfaces: [eventInterface],
        fields: () => ({
          ...eventFields,
          [PREVIOUS_FIELD]: {
            type: type.fields.size === 0 ? scalars.JSON : objectOf(type.previous),
            description: 'The state before the change that the event reports. Null when it is not known.',
          },
          ...Object.fromEntries(fieldsOf(type)),
        }),
        extensions: { eventType: type.eventType },
      }),
  );
  return new GraphQLSchema({
    query: queryType,
    subscription: subscriptionType,
    types: events,
    directives: [GraphQLIncludeDirective, GraphQLSkipDirective],
    assumeValid: true,
  });
}
