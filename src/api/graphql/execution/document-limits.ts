import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
  visit,
} from 'graphql';
import type { Config } from '../../../platform/settings/config.js';
import { fragmentsOf, selectionsIn } from '../fields/selection.js';
import { excessiveIntrospection, measureIn } from './extents.js';

export type GraphqlLimits = Config['limits']['graphql'];

/**
 * Refuses documents that are too large in form. It checks the whole document before any other rule sees it, because
 * some of GraphQL's rules compare each field with each other, which takes 100 ms for 2,000 tokens.
 */
export const documentLimitsRule =
  (limits: GraphqlLimits): ValidationRule =>
  (context) => ({
    Document(document) {
      const refusal = refusalOf(document, limits);
      if (refusal === null) {
        return undefined;
      }
      context.reportError(refusal);
      return null; // hides the document from all other rules
    },
  });

function refusalOf(document: DocumentNode, limits: GraphqlLimits): GraphQLError | null {
  const { repeats, directives, fragments } = countsOf(document);
  const refusal =
    tooMany('document', 'fragments and operations', fragments, limits.fragmentsMax) ??
    tooMany('document', 'directives', directives, limits.directivesMax) ??
    tooMany('document', 'repeated fields', repeats, limits.aliasesMax);
  if (refusal !== null) {
    return new GraphQLError(refusal);
  }
  const measure = measureIn(document);
  for (const operation of document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)) {
    const { selectionSet } = operation as OperationDefinitionNode;
    const extent = measure(selectionSet);
    const message =
      (extent.depth > limits.depthMax
        ? `The operation is ${extent.depth} levels deep; at most ${limits.depthMax} are allowed.`
        : null) ??
      tooMany('operation', 'aliases', extent.aliases, limits.aliasesMax) ??
      tooMany('operation', 'fields at its top', extent.fields, limits.rootFieldsMax) ??
      excessiveIntrospection(extent);
    if (message !== null) {
      return new GraphQLError(message, { nodes: operation });
    }
  }
  return conditionalSubscription(document);
}

const tooMany = (whole: string, items: string, found: number, max: number): string | null =>
  found > max ? `The ${whole} has ${found} ${items}; at most ${max} are allowed.` : null;

/**
 * A subscription has one field without a condition (GraphQL, September 2025, "Single Root Field"). graphql-js 16 has no
 * rule for that, and throws.
 */
function conditionalSubscription(document: DocumentNode): GraphQLError | null {
  const fragments = fragmentsOf(document);
  const conditional = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .filter(({ operation }) => operation === 'subscription')
    .flatMap(({ selectionSet }) => selectionsIn(selectionSet, (name) => fragments.get(name)))
    .find(({ directives }) => directives?.some(({ name }) => name.value === 'skip' || name.value === 'include'));
  return conditional === undefined
    ? null
    : new GraphQLError('The field of a subscription cannot be conditional: leave out @skip and @include.', {
        nodes: conditional,
      });
}

function countsOf(document: DocumentNode): { repeats: number; directives: number; fragments: number } {
  const counts = { repeats: 0, directives: 0, fragments: document.definitions.length };
  visit(document, {
    Directive() {
      counts.directives += 1;
    },
    InlineFragment() {
      counts.fragments += 1;
    },
    SelectionSet(set, _key, parent) {
      // The set of an inline fragment counts with the set around it.
      if ((parent as ASTNode | undefined)?.kind !== Kind.INLINE_FRAGMENT) {
        const names = namesIn(set);
        counts.repeats += names.length - new Set(names).size;
      }
    },
  });
  return counts;
}

/** The names of all selections, which GraphQL's rules compare with each other when they are equal. */
function namesIn({ selections }: SelectionSetNode): string[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return namesIn(selection.selectionSet);
    }
    return selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : `...${selection.name.value}`;
  });
}
