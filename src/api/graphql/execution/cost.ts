import {
  type DocumentNode,
  type FieldNode,
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
import { OF_A_ROW } from '../fields/of-a-row.js';
import { type Requirement, requirementOf } from '../fields/requires.js';

/** The assumed length of a list that has no page size and declares none. */
const LIST_LENGTH_ASSUMED = 10;

/** How often the long texts of a list count: the number of attempts of a delivery with the default MAX_RETRIES. */
const TEXTS_OF_LIST = 6;

/**
 * The highest cost of one update of a subscription: a delivery with all its fields and attempts. A stream is counted
 * once, and brings an update for each change.
 */
const UPDATE_COST_MAX = 1_000;

/** Finding the cost may visit this many selections: nested fragments multiply them. */
const SELECTIONS_COUNTED_MAX = 4000;

/**
 * Counts objects. A field that leads to objects costs 1, its own cost and its selection, times its length. The size of
 * a page counts at the connection, and not again at its edges.
 */
const objects: ComplexityEstimator = (field) => {
  if (!leadsToObjects(field)) {
    return 0;
  }
  const { childComplexity, field: definition } = field;
  const { complexity = 0, [LIST_LENGTH]: length = LIST_LENGTH_ASSUMED } = definition.extensions;
  const own = typeof complexity === 'function' ? Number(complexity(field)) : Number(complexity);
  return isPage(field)
    ? 1 + pageSize(field) * childComplexity
    : listLength(field, Number(length)) * (1 + own + childComplexity);
};

/** Counts long texts, at the cost of their fields; in a list only a few, because the bytes of lists are limited. */
const texts: ComplexityEstimator = (field) => {
  if (!leadsToObjects(field)) {
    return Number(field.field.extensions['complexity'] ?? 0);
  }
  return (isPage(field) ? pageSize(field) : listLength(field, TEXTS_OF_LIST)) * field.childComplexity;
};

function leadsToObjects({ field }: ComplexityEstimatorArgs): boolean {
  const type = getNamedType(field.type);
  return isCompositeType(type) && !type.name.startsWith('__');
}

const isPage = ({ field }: ComplexityEstimatorArgs) => getNamedType(field.type).name.endsWith('Connection');

const pageSize = ({ args }: ComplexityEstimatorArgs) =>
  Math.min(Math.max(Number(args['first'] ?? args['last'] ?? PAGE_DEFAULT), 0), PAGE_MAX);

/** A list of objects by ids (`nodes`) has as many items as ids. */
function listLength({ args, field, type: parent }: ComplexityEstimatorArgs, length: number): number {
  if (!isListType(getNullableType(field.type)) || parent.name.endsWith('Connection')) {
    return 1;
  }
  const size = Number(args['first'] ?? args['last'] ?? length);
  return Array.isArray(args['ids']) ? args['ids'].length : Math.min(Math.max(size, 0), length);
}

/** The page sizes of nested connections multiply. @throws GraphQLError GRAPHQL_VALIDATION_FAILED */
export function requireAffordable(kind: OperationTypeNode, cost: number, costMax: number): void {
  const isStream = kind === 'subscription';
  const max = isStream ? Math.min(costMax, UPDATE_COST_MAX) : costMax;
  if (cost > max) {
    const found = cost === Number.POSITIVE_INFINITY ? '' : `its cost is ${cost}, `;
    const detail = `The ${isStream ? 'updates' : 'query'} could read too much: ${found}at most ${max} is allowed. Ask for smaller pages, or for fewer long texts.`;
    throw refusalOf('GRAPHQL_VALIDATION_FAILED', detail);
  }
}

/** Whether an operation reads the same for all variables: sizes, ids in lists, conditions and a null change it. */
export function isFixed({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  const hasSizes = /"(Int|Boolean|PreviewContentInput)"|"ListType".*"ID"/;
  return !variableDefinitions.some(
    ({ type, defaultValue }) =>
      hasSizes.test(JSON.stringify(type)) || (defaultValue !== undefined && type.kind !== 'NonNullType'),
  );
}

/** The cost of an operation with some variables, and what it needs rights for. */
export interface Reading {
  cost: number;
  /** The fields with a requirement, each once, a field before those that it leads to. */
  guarded: readonly GuardedField[];
  /** Whether it reads a row and, by another statement, what belongs to that row. */
  readsOfRows: boolean;
}

interface GuardedField {
  /** Type and field, such as `Webhook.deliveries`. */
  name: string;
  node: FieldNode;
  requirement: Requirement;
}

/**
 * Visits each field that runs, which is not left out by `@skip` or `@include`.
 *
 * @throws GraphQLError BAD_USER_INPUT for an argument that does not fit: a variable with a default may be null where
 *   the argument may not. Execution would answer the other fields, at an unknown cost.
 */
export function readingOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Reading {
  const guarded = new Map<string, GuardedField>();
  let readsOfRows = false;
  const note: ComplexityEstimator = ({ type, field, node }) => {
    readsOfRows ||= field.extensions[OF_A_ROW] === true;
    const requirement = requirementOf(field);
    if (requirement !== undefined) {
      const name = `${type.name}.${field.name}`;
      guarded.set(name, { name, node, requirement });
    }
  };
  const operationName = operation.name ? { operationName: operation.name.value } : {};
  const question = { schema, query, variables, maxQueryNodes: SELECTIONS_COUNTED_MAX, ...operationName };
  let cost: number;
  try {
    cost =
      getComplexity({ ...question, estimators: [note, objects] }) + getComplexity({ ...question, estimators: [texts] });
  } catch (error) {
    if (!(error instanceof GraphQLError)) {
      throw error;
    }
    if (!/number of nodes/.test(error.message)) {
      throw refusalOf('BAD_USER_INPUT', error.message);
    }
    cost = Number.POSITIVE_INFINITY;
  }
  return { cost, guarded: [...guarded.values()].reverse(), readsOfRows };
}
