import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationRule,
  visit,
} from 'graphql';
import type { Config } from '../../../platform/settings/config.js';
import { fragmentsOf, selectionsIn } from '../fields/selection.js';

export type GraphqlLimits = Config['limits']['graphql'];
type Fragments = ReturnType<typeof fragmentsOf>;

/** How often `__schema` and `__type` may be selected in one operation. Some clients select a few types one by one. */
const SCHEMAS_MAX = 1;
const TYPES_MAX = 10;

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
  const whole =
    tooMany('document', 'fragments and operations', fragments, limits.fragmentsMax) ??
    tooMany('document', 'directives', directives, limits.directivesMax) ??
    tooMany('document', 'repeated fields', repeats, limits.aliasesMax);
  if (whole !== null) {
    return new GraphQLError(whole);
  }
  const messageFor = operationRule(fragmentsOf(document), limits);
  for (const nodes of document.definitions) {
    const message = nodes.kind === Kind.OPERATION_DEFINITION ? messageFor(nodes) : null;
    if (message !== null) {
      return new GraphQLError(message, { nodes });
    }
  }
  return null;
}

const tooMany = (whole: string, items: string, found: number, max: number): string | null =>
  found > max ? `The ${whole} has ${found} ${items}; at most ${max} ${max === 1 ? 'is' : 'are'} allowed.` : null;

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

/**
 * Limits an operation with everything in its fragments. Introspection has limits of its own, because it needs no key:
 * the usual query for the schema is 13 levels deep, selects `__schema` once and has no aliases in it. GraphQL's own
 * rule limits fields of fields.
 */
function operationRule(fragments: Fragments, limits: GraphqlLimits) {
  const sum = (ofField: OfField) => sizeIn(fragments, (one, other) => one + other, ofField);
  const count = (wanted: string) => sum(({ name }, below) => below + Number(name.value === wanted));
  const depthOf = sizeIn(fragments, Math.max, ({ name }, below) => (name.value.startsWith('__') ? 1 : below + 1));
  const aliasesOf = sum(({ alias }, below) => below + Number(alias !== undefined));
  const topOf = sum(() => 1);
  const schemasOf = count('__schema');
  const typesOf = count('__type');
  const schemaAliasesOf = sum(({ name, selectionSet }, below) =>
    selectionSet && (name.value === '__schema' || name.value === '__type') ? aliasesOf(selectionSet) : below,
  );
  return ({ operation, selectionSet: set }: OperationDefinitionNode): string | null => {
    const depth = depthOf(set);
    if (depth > limits.depthMax) {
      return `The operation is ${depth} levels deep; at most ${limits.depthMax} are allowed.`;
    }
    return (
      tooMany('operation', 'aliases', aliasesOf(set), limits.aliasesMax) ??
      tooMany('operation', 'fields at its top', topOf(set), limits.rootFieldsMax) ??
      tooMany('operation', 'selections of __schema', schemasOf(set), SCHEMAS_MAX) ??
      tooMany('operation', 'selections of __type', typesOf(set), TYPES_MAX) ??
      (schemaAliasesOf(set) > 0 ? 'Aliases are not allowed within __schema and __type.' : null) ??
      (operation === 'subscription' && isConditional(set, fragments)
        ? 'The field of a subscription cannot be conditional: leave out @skip and @include.'
        : null)
    );
  };
}

/**
 * A subscription has one field without a condition (GraphQL, September 2025, "Single Root Field"). graphql-js 16 has no
 * rule for that, and throws.
 */
const isConditional = (set: SelectionSetNode, fragments: Fragments): boolean =>
  selectionsIn(set, (name) => fragments.get(name))
    .flatMap(({ directives = [] }) => directives)
    .some(({ name }) => name.value === 'skip' || name.value === 'include');

type OfField = (field: FieldNode, below: number) => number;

/** Measures selection sets. Each fragment is measured once, so nested fragments cost no more than their text. */
function sizeIn(
  fragments: Fragments,
  together: (one: number, other: number) => number,
  ofField: OfField,
): (set: SelectionSetNode) => number {
  const known = new Map<string, number>();
  const ofSet = ({ selections }: SelectionSetNode): number =>
    selections.reduce((size, selection) => together(size, ofSelection(selection)), 0);
  const ofSelection = (selection: SelectionNode): number => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      return ofFragment(selection.name.value);
    }
    const below = selection.selectionSet ? ofSet(selection.selectionSet) : 0;
    return selection.kind === Kind.FIELD ? ofField(selection, below) : below;
  };
  const ofFragment = (name: string): number => {
    if (!known.has(name)) {
      known.set(name, 0); // for a fragment that spreads itself, which another rule refuses
      const fragment = fragments.get(name);
      known.set(name, fragment ? ofSet(fragment.selectionSet) : 0);
    }
    return known.get(name)!;
  };
  return ofSet;
}
