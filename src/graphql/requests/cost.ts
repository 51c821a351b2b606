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
import { PAGE_DEFAULT, PAGE_MAX } from '../fields/connection.js';
import { LIST_LENGTH } from '../fields/costs.js';
import { refusalOf } from '../fields/errors.js';

/** What a list without a page size is taken to hold, unless its field says more. */
const LIST_LENGTH_ASSUMED = 10;

/** How many selections the cost may take to find: fragments within fragments multiply them. */
const SELECTIONS_COUNTED_MAX = 4000;

/**
 * A field that leads to objects costs 1 and its selection, as often as it may be read. The size of a page counts at
 * its connection, and not again at the edges.
 */
const estimate: ComplexityEstimator = ({ args, childComplexity, field, type: parent }) => {
  const { name } = getNamedType(field.type);
  if (!isCompositeType(getNamedType(field.type)) || name.startsWith('__')) {
    // Of a text that may be long the field itself says what it costs, each time that it is asked for.
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

/**
 * Refuses an operation that could read too much: the page sizes of nested connections multiply.
 *
 * @throws GraphQLError GRAPHQL_VALIDATION_FAILED with status 400
 */
export function requireAffordable(cost: number, costMax: number): void {
  if (cost > costMax) {
    const found = cost === Number.POSITIVE_INFINITY ? '' : `its cost is ${cost}, `;
    throw refusalOf(
      'GRAPHQL_VALIDATION_FAILED',
      `The query could read too much: ${found}at most ${costMax} is allowed. Ask for smaller pages, or for fewer long texts.`,
    );
  }
}

/**
 * Whether an operation costs the same with all variables: only page sizes, and conditions of `@skip` and `@include`,
 * make it differ.
 */
export function hasFixedCost({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return !variableDefinitions.some(({ type }) => /"(Int|Boolean)"/.test(JSON.stringify(type)));
}

/**
 * What an operation costs.
 *
 * @param variables that fit the operation
 * @throws GraphQLError BAD_USER_INPUT with status 400 when an argument does not fit all the same: a variable with a
 *   default may be null, where an argument may not. The execution would go on beside it, at a cost that nobody knows.
 */
export function costOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number {
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
    if (!(error instanceof GraphQLError)) {
      throw error;
    }
    if (/number of nodes/.test(error.message)) {
      return Number.POSITIVE_INFINITY;
    }
    throw refusalOf('BAD_USER_INPUT', error.message);
  }
}
