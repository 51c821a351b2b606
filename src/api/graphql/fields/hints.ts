import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { nearestWord } from '../../../domain/text/nearest-word.js';

const UNKNOWN_FIELD =
  /^(?:Cannot query field "(?<field>\w+)" on|Field "(?<input>\w+)" is not defined by) type "(?<name>\w+)"\./;

/**
 * The message about a field that a type does not have, where more can be said than graphql-js says: it knows no words
 * of REST and of other products, and does not look into connections.
 *
 * @returns null for all other messages
 */
export function hintAbout(message: string, schema: GraphQLSchema): string | null {
  const { field, input, name = '' } = UNKNOWN_FIELD.exec(message)?.groups ?? {};
  const given = field ?? input ?? '';
  const type = schema.getType(name);
  if (isObjectType(type) && name.endsWith('Connection')) {
    const hint = pageHint(type, given);
    return hint && `Cannot query field "${given}" on type "${name}". ${hint}`;
  }
  if (message.includes('Did you mean') || !(isObjectType(type) || isInputObjectType(type))) {
    return null;
  }
  const nearest = nearestWord(Object.keys(type.getFields()), given);
  return nearest === undefined ? null : `${message} Did you mean "${nearest}"?`;
}

/** How to get what was asked of a page. Null for a field that its nodes do not have either. */
function pageHint(connection: GraphQLObjectType, given: string): string | null {
  const { nodes } = connection.getFields();
  const node = nodes && getNamedType(nodes.type);
  if (!isObjectType(node)) {
    return null;
  }
  if (given === 'totalCount') {
    const counted = node.name === 'Delivery' ? ' deliveryCounts counts deliveries up to a bound.' : '';
    return `Lists are not counted, because that would read all of them.${counted}`;
  }
  const selected = node.getFields()[given];
  if (selected === undefined) {
    return null;
  }
  return `It is a page of a list: use nodes { ${given}${isObjectType(getNamedType(selected.type)) ? ' { … }' : ''} }.`;
}
