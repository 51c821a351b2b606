import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';
import { Extensions } from 'type-graphql';
import { PAGE_DEFAULT, PAGE_MAX } from './connection.js';

/** The limits of a GraphQL document, which one request cannot exceed whatever its key. Its length in bytes is limited where the body is read. */
export const DEPTH_MAX = 12;
export const ALIASES_MAX = 15;
export const TOKENS_MAX = 2_000;
export const COST_MAX = 15_000;

/** What a list without a page size is taken to hold, unless its field says more. */
const LIST_LENGTH_ASSUMED = 10;
const LIST_LENGTH = 'listLength';

/** Stands on a field with a long list: how much it may hold. */
export const mayHold = (length: number) => Extensions({ [LIST_LENGTH]: length });

/** Reported like every validation error; thrown, as the rules do by default, they would read as errors of ours. */
const report = {
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
};

/** Introspection is exempt from the depth: its own query is 13 levels deep. */
export const limitRules = [
  maxDepthRule({ n: DEPTH_MAX, ignoreIntrospection: true, ...report } as never),
  maxAliasesRule({ n: ALIASES_MAX, ...report } as never),
] as unknown as ValidationRule[];

/**
 * A field that leads to objects costs 1 and its selection, as often as it may be read. The size of a page counts at
 * its connection, and not again at the edges.
 */
const estimate: ComplexityEstimator = ({ args, childComplexity, field, type: parent }) => {
  const { name } = getNamedType(field.type);
  if (!isCompositeType(getNamedType(field.type)) || name.startsWith('__')) {
    return 0;
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
 * @throws GraphQLError GRAPHQL_VALIDATION_FAILED with status 400
 */
export function requireAffordable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const known = knownCosts.get(document);
  const cost = known ?? costOf(schema, document, operation, variables);
  if (cost === null) {
    return; // Variables that do not fit: the execution says so properly.
  }
  if (known === undefined) {
    knownCosts.set(document, isFixed(document, operation) ? cost : null);
  }
  if (cost > COST_MAX) {
    throw new GraphQLError(
      `The query could read too much: its cost is ${cost}, at most ${COST_MAX} is allowed. Ask for smaller pages.`,
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } } },
    );
  }
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
      ...(operation.name ? { operationName: operation.name.value } : {}),
    });
  } catch {
    return null;
  }
}
