import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  type OperationDefinitionNode,
  type OperationTypeNode,
} from 'graphql';
import { type ComplexityEstimator, type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import { PAGE_DEFAULT, PAGE_MAX } from '../fields/connection.js';
import { LIST_LENGTH } from '../fields/costs.js';
import { refusalOf } from '../fields/errors.js';

/** What a list without a page size is taken to hold, unless its field says more. */
const LIST_LENGTH_ASSUMED = 10;

/** How often the long texts of a list count: a delivery has so many attempts with the shipped MAX_RETRIES. */
const TEXTS_OF_LIST = 6;

/**
 * What one update of a subscription may cost: a delivery with all that there is of it, its attempts with their texts.
 * A stream is counted once, and brings as many updates as there are changes.
 */
const UPDATE_COST_MAX = 1_000;

/** How many selections the cost may take to find: fragments within fragments multiply them. */
const SELECTIONS_COUNTED_MAX = 4000;

/**
 * The objects: a field that leads to some costs 1, what it says of itself and its selection, as often as it may be
 * read. The size of a page counts at its connection, and not again at the edges.
 */
const objects: ComplexityEstimator = (place) => {
  if (!leadsToObjects(place)) {
    return 0;
  }
  const { childComplexity, field } = place;
  return isPage(place)
    ? 1 + pageSize(place) * childComplexity
    : listLength(place, Number(field.extensions[LIST_LENGTH] ?? LIST_LENGTH_ASSUMED)) *
        (1 + Number(field.extensions['complexity'] ?? 0) + childComplexity);
};

/**
 * The long texts: of each its field says what it costs. Those of a list do not count as often as it may be long:
 * however many there are, their bytes are counted as they are read, and bounded.
 */
const texts: ComplexityEstimator = (place) => {
  const { childComplexity, field } = place;
  if (!leadsToObjects(place)) {
    return Number(field.extensions['complexity'] ?? 0);
  }
  return (isPage(place) ? pageSize(place) : listLength(place, TEXTS_OF_LIST)) * childComplexity;
};

type Place = ComplexityEstimatorArgs;

function leadsToObjects({ field }: Place): boolean {
  const type = getNamedType(field.type);
  return isCompositeType(type) && !type.name.startsWith('__');
}

const isPage = ({ field }: Place) => getNamedType(field.type).name.endsWith('Connection');

function pageSize({ args }: Place): number {
  const size = Number(args['first'] ?? args['last'] ?? PAGE_DEFAULT);
  return Math.min(Math.max(size, 0), PAGE_MAX);
}

/** A list that is asked for by ids (`nodes`) has as many items. */
function listLength({ args, field, type: parent }: Place, length: number): number {
  if (!isListType(getNullableType(field.type)) || parent.name.endsWith('Connection')) {
    return 1;
  }
  return Array.isArray(args['ids']) ? args['ids'].length : length;
}

/**
 * Refuses an operation that could read too much: the page sizes of nested connections multiply.
 *
 * @param costMax of a query or mutation
 * @throws GraphQLError GRAPHQL_VALIDATION_FAILED with status 400
 */
export function requireAffordable(kind: OperationTypeNode, cost: number, costMax: number): void {
  const isStream = kind === 'subscription';
  const max = isStream ? Math.min(costMax, UPDATE_COST_MAX) : costMax;
  if (cost > max) {
    const found = cost === Number.POSITIVE_INFINITY ? '' : `its cost is ${cost}, `;
    throw refusalOf(
      'GRAPHQL_VALIDATION_FAILED',
      `The ${isStream ? 'updates' : 'query'} could read too much: ${found}at most ${max} is allowed. Ask for smaller pages, or for fewer long texts.`,
    );
  }
}

/**
 * Whether an operation costs the same with all variables: only page sizes, lists of ids, and conditions of `@skip` and
 * `@include` make it differ.
 */
export function hasFixedCost({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return !variableDefinitions.some(({ type }) => /"(Int|Boolean)"|"ListType".*"ID"/.test(JSON.stringify(type)));
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
    const costs = [objects, texts].map((estimator) =>
      getComplexity({
        schema,
        query,
        variables,
        estimators: [estimator],
        maxQueryNodes: SELECTIONS_COUNTED_MAX,
        ...(operation.name ? { operationName: operation.name.value } : {}),
      }),
    );
    return costs.reduce((sum, cost) => sum + cost, 0);
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
