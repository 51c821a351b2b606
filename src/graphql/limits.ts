import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  type OperationDefinitionNode,
} from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';
import { Extensions } from 'type-graphql';
import { PAGE_DEFAULT, PAGE_MAX } from './connection.js';
import type { GraphqlLimits } from './document-limits.js';
import { refusalOf } from './errors.js';

/** Each error of a document costs its search for similar names; nobody reads more. */
export const VALIDATION_ERRORS_MAX = 10;

const OPERATION_NAME_CHARS_MAX = 256;

/** What a list without a page size is taken to hold, unless its field says more. */
const LIST_LENGTH_ASSUMED = 10;
const LIST_LENGTH = 'listLength';

/** Stands on a field with a long list: how much it may hold. */
export const mayHold = (length: number) => Extensions({ [LIST_LENGTH]: length });

/** How many selections the cost may take to find: fragments within fragments multiply them. */
const SELECTIONS_COUNTED_MAX = 4000;

/**
 * Refuses a request by the length of its texts, before one of them is hashed, parsed or repeated in a message.
 *
 * @param body as it was parsed from JSON
 * @throws GraphQLError GRAPHQL_PARSE_FAILED, BAD_REQUEST
 */
export function requireShort(body: unknown, { documentCharsMax }: GraphqlLimits): void {
  const { query, operationName } = (body ?? {}) as { query?: unknown; operationName?: unknown };
  if (typeof query === 'string' && query.length > documentCharsMax) {
    const detail = `The document has ${query.length} characters; at most ${documentCharsMax} are allowed. Send long values as variables.`;
    throw refusalOf('GRAPHQL_PARSE_FAILED', detail);
  }
  if (typeof operationName === 'string' && operationName.length > OPERATION_NAME_CHARS_MAX) {
    throw refusalOf('BAD_REQUEST', 'The operation name is too long to be the name of an operation.');
  }
}

/**
 * A field that leads to objects costs 1 and its selection, as often as it may be read. The size of a page counts at
 * its connection, and not again at the edges.
 */
const estimate: ComplexityEstimator = ({ args, childComplexity, field, type: parent }) => {
  const { name } = getNamedType(field.type);
  if (!isCompositeType(getNamedType(field.type)) || name.startsWith('__')) {
    // Of a text that is long and may be asked for often, the field itself says what it costs.
    return Number(field.extensions['complexity'] ?? 0);
  }
  if (name.endsWith('Connection')) {
    const size = Number(args['first'] ?? args['last'] ?? PAGE_DEFAULT);
    return 1 + Math.min(Math.max(size, 0), PAGE_MAX) * childComplexity;
  }
  const isList = isListType(getNullableType(field.type)) && !parent.name.endsWith('Connection');
  const length = Number(field.extensions[LIST_LENGTH] ?? LIST_LENGTH_ASSUMED);
  return (isList ? length : 1) * (1 + childComplexity);
};

/** By document; null where it depends on the variables. */
const knownCosts = new WeakMap<DocumentNode, number | null>();

/**
 * Refuses an operation that could read too much: the page sizes of nested connections multiply.
 *
 * @param variables that fit the operation
 * @returns the cost; 0 when an argument does not fit
 * @throws GraphQLError GRAPHQL_VALIDATION_FAILED with status 400
 */
export function requireAffordable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  costMax: number,
): number {
  const known = knownCosts.get(document);
  const cost = known ?? costOf(schema, document, operation, variables);
  if (cost === null) {
    return 0; // An argument that does not fit: the execution says so properly.
  }
  if (known === undefined) {
    knownCosts.set(document, isFixed(document, operation) ? cost : null);
  }
  if (cost > costMax) {
    const found = cost === Number.POSITIVE_INFINITY ? '' : `its cost is ${cost}, `;
    throw refusalOf(
      'GRAPHQL_VALIDATION_FAILED',
      `The query could read too much: ${found}at most ${costMax} is allowed. Ask for smaller pages.`,
    );
  }
  return cost;
}

/** Only page sizes in variables make the cost differ between requests with the same document. */
function isFixed(document: DocumentNode, { variableDefinitions }: OperationDefinitionNode): boolean {
  return document.definitions.length === 1 && !variableDefinitions?.some(hasNumber);
}

function hasNumber({ type }: { type: { kind: string; type?: unknown } }): boolean {
  return JSON.stringify(type).includes('"Int"');
}

function costOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number | null {
  try {
    return getComplexity({
      schema,
      query,
      variables,
      estimators: [estimate],
      maxQueryNodes: SELECTIONS_COUNTED_MAX,
      ...(operation.name ? { operationName: operation.name.value } : {}),
    });
  } catch (error) {
    const isCounting = error instanceof GraphQLError && /number of nodes/.test(error.message);
    return isCounting ? Number.POSITIVE_INFINITY : null;
  }
}
