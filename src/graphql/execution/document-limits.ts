import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
  visit,
} from 'graphql';
import type { Config } from '../../settings/config.js';
import { fragmentsOf } from '../fields/selection.js';
import { Extents } from './extents.js';
import { brokenIntrospection } from './introspection-limits.js';

export type GraphqlLimits = Config['limits']['graphql'];

/**
 * Refuses documents that ask for too much by their form alone. It judges the document as a whole, before any rule has
 * looked into it, and then keeps the others from doing so: some compare each field with each other, which costs 100 ms
 * for 2,000 tokens.
 */
export function documentLimitsRule(limits: GraphqlLimits): ValidationRule {
  return (context: ValidationContext): ASTVisitor => ({
    Document: {
      enter(document) {
        const refusal =
          brokenLimit(document, limits) ?? missingRoot(context.getSchema(), document) ?? conditionalRoot(document);
        if (refusal === null) {
          return undefined;
        }
        context.reportError(refusal);
        return null; // deletes the document from the visit that all rules share
      },
    },
  });
}

function brokenLimit(document: DocumentNode, limits: GraphqlLimits): GraphQLError | null {
  const { repeats, directives, fragments } = countsOf(document);
  if (fragments > limits.fragmentsMax) {
    return tooMany('fragments and operations', fragments, limits.fragmentsMax);
  }
  if (directives > limits.directivesMax) {
    return tooMany('directives', directives, limits.directivesMax);
  }
  if (repeats > limits.aliasesMax) {
    return tooMany('repeated fields', repeats, limits.aliasesMax);
  }
  const extents = new Extents(document);
  for (const operation of document.definitions) {
    const refusal = operation.kind === Kind.OPERATION_DEFINITION ? brokenLimitOf(operation, extents, limits) : null;
    if (refusal !== null) {
      return refusal;
    }
  }
  return null;
}

function brokenLimitOf(
  operation: OperationDefinitionNode,
  extents: Extents,
  limits: GraphqlLimits,
): GraphQLError | null {
  const { aliases, depth, fields, introspection } = extents.of(operation.selectionSet);
  if (depth > limits.depthMax) {
    return refusal(`The operation is ${depth} levels deep; at most ${limits.depthMax} are allowed.`, operation);
  }
  if (aliases > limits.aliasesMax) {
    return tooMany('aliases', aliases, limits.aliasesMax, operation);
  }
  if (fields > limits.rootFieldsMax) {
    return tooMany('fields at its top', fields, limits.rootFieldsMax, operation);
  }
  const tooMuch = brokenIntrospection(introspection);
  return tooMuch === null ? null : refusal(tooMuch, operation);
}

/** GraphQL's own rules say nothing of a subscription in a schema that has none; the execution would fail. */
function missingRoot(schema: GraphQLSchema, document: DocumentNode): GraphQLError | null {
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION && !schema.getRootType(definition.operation)) {
      return refusal(`The schema has no ${definition.operation}s.`, definition);
    }
  }
  return null;
}

/**
 * A subscription is to one field, under no condition (GraphQL, September 2025, "Single Root Field"). graphql-js 16 has
 * no rule for that: where it counts the fields, and where it subscribes to one, a condition makes it throw.
 */
function conditionalRoot(document: DocumentNode): GraphQLError | null {
  const fragments = fragmentsOf(document);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === 'subscription') {
      const conditional = conditionalIn(definition.selectionSet, fragments, new Set());
      if (conditional !== undefined) {
        return refusal(
          'What a subscription is to can be under no condition: leave out @skip and @include.',
          conditional,
        );
      }
    }
  }
  return null;
}

/** The first selection with a condition, of fields or whole fragments. */
function conditionalIn(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  spread: Set<string>,
): SelectionNode | undefined {
  for (const selection of selections) {
    if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) {
      return selection;
    }
    let below: SelectionSetNode | undefined;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      below = selection.selectionSet;
    } else if (selection.kind === Kind.FRAGMENT_SPREAD && !spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      below = fragments.get(selection.name.value)?.selectionSet;
    }
    const found = below && conditionalIn(below, fragments, spread);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Counts what stands in the document itself, each fragment once. */
function countsOf(document: DocumentNode): { repeats: number; directives: number; fragments: number } {
  const counts = { repeats: 0, directives: 0, fragments: document.definitions.length };
  visit(document, {
    Directive() {
      counts.directives += 1;
    },
    InlineFragment() {
      counts.fragments += 1;
    },
    SelectionSet(node, _key, parent) {
      // Those of inline fragments are counted with the selection set that they stand in.
      if ((parent as ASTNode | undefined)?.kind !== Kind.INLINE_FRAGMENT) {
        counts.repeats += repeatsIn(node.selections, new Set());
      }
    },
  });
  return counts;
}

/** How many selections name what was named before: each one must be compared with all of them. */
function repeatsIn(selections: readonly SelectionNode[], seen: Set<string>): number {
  let repeats = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      repeats += repeatsIn(selection.selectionSet.selections, seen);
      continue;
    }
    const name =
      selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : `...${selection.name.value}`;
    repeats += seen.has(name) ? 1 : 0;
    seen.add(name);
  }
  return repeats;
}

function tooMany(what: string, found: number, max: number, operation?: OperationDefinitionNode): GraphQLError {
  const whole = operation === undefined ? 'document' : 'operation';
  return refusal(`The ${whole} has ${found} ${what}; at most ${max} are allowed.`, operation);
}

function refusal(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, { nodes: node ?? null });
}
