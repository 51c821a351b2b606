import 'reflect-metadata';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, visit } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { formatTimestamp, parseTimestamp } from '../domain/text/timestamp.js';

function readDateTime(value: unknown, node?: ValueNode): Date {
  const date = typeof value === 'string' ? parseTimestamp(value) : null;
  if (date === null) {
    const form = 'ISO 8601 text with seconds and an offset, such as 2026-01-31T09:30:00+00:00';
    throw new GraphQLError(`A DateTime is an ${form}.`, { nodes: node ?? null });
  }
  return date;
}

/** The same form as in REST, with a numeric offset and never `Z` (docs/interface.md, "A webhook"). */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'A time in ISO 8601 with seconds and an offset, such as `2026-01-31T09:30:00+00:00`. Answers are in UTC and whole seconds; arguments may have any offset, `Z` and fractions of a second.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => formatTimestamp(value as Date),
  parseValue: (value) => readDateTime(value),
  parseLiteral: (node) => readDateTime(node.kind === Kind.STRING ? node.value : undefined, node),
});

function readObject(value: unknown, node?: ValueNode): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GraphQLError('A JSONObject is a JSON object, not a text, number, list or null.', { nodes: node ?? null });
  }
  return value as Record<string, unknown>;
}

/** Unlike the scalar of graphql-scalars, its errors do not repeat the value. */
export const JSONObject = new GraphQLScalarType<Record<string, unknown>, Record<string, unknown>>({
  name: 'JSONObject',
  description: 'Any JSON object.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => readObject(value),
  parseValue: (value) => readObject(value),
  parseLiteral: (node, variables) => {
    refuseEnums(node);
    return readObject(node.kind === Kind.OBJECT ? GraphQLJSONObject.parseLiteral(node, variables) : undefined, node);
  },
});

/** Any value, where a JSONObject is too narrow. */
export const JSONValue = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  parseValue: (value) => value,
  parseLiteral: (node, variables) => {
    refuseEnums(node);
    return GraphQLJSON.parseLiteral(node, variables);
  },
});

/** graphql-scalars silently leaves enum values out. */
function refuseEnums(value: ValueNode): void {
  visit(value, {
    EnumValue(node) {
      throw new GraphQLError('JSON has no enum values: put the text in quotes.', { nodes: node });
    },
  });
}
