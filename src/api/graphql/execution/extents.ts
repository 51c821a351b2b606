import { type DocumentNode, Kind, type SelectionNode, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from '../fields/selection.js';

/** How often `__schema` and `__type` may be selected in one operation. Some clients select a few types one by one. */
const SCHEMAS_MAX = 1;
const TYPES_MAX = 10;

/** The size of a selection set with everything below it, including fragments. */
interface Extent {
  /** On the level of the set itself. */
  fields: number;
  aliases: number;
  depth: number;
  /** Selections of `__schema`, of `__type`, and aliases below them. */
  schemas: number;
  types: number;
  schemaAliases: number;
}

const EMPTY: Extent = { fields: 0, aliases: 0, depth: 0, schemas: 0, types: 0, schemaAliases: 0 };

const together = (one: Extent, other: Extent): Extent => ({
  fields: one.fields + other.fields,
  aliases: one.aliases + other.aliases,
  depth: Math.max(one.depth, other.depth),
  schemas: one.schemas + other.schemas,
  types: one.types + other.types,
  schemaAliases: one.schemaAliases + other.schemaAliases,
});

/** Measures selection sets. Each fragment is measured once, so nested fragments cost no more than their text. */
export function measureIn(document: DocumentNode): (set: SelectionSetNode) => Extent {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Extent>();
  const ofSet = ({ selections }: SelectionSetNode): Extent => selections.map(ofSelection).reduce(together, EMPTY);
  const ofSelection = (selection: SelectionNode): Extent => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      return ofFragment(selection.name.value);
    }
    const below = selection.selectionSet ? ofSet(selection.selectionSet) : EMPTY;
    return selection.kind === Kind.INLINE_FRAGMENT
      ? below
      : ofField(selection.name.value, selection.alias !== undefined, below);
  };
  const ofFragment = (name: string): Extent => {
    const found = known.get(name);
    if (found !== undefined) {
      return found;
    }
    known.set(name, EMPTY); // for a fragment that spreads itself, which another rule refuses
    const fragment = fragments.get(name);
    const extent = fragment ? ofSet(fragment.selectionSet) : EMPTY;
    known.set(name, extent);
    return extent;
  };
  return ofSet;
}

function ofField(name: string, hasAlias: boolean, below: Extent): Extent {
  return {
    fields: 1,
    aliases: below.aliases + Number(hasAlias),
    // Introspection has limits of its own: the usual query for the schema is 13 levels deep.
    depth: name.startsWith('__') ? 1 : below.depth + 1,
    schemas: below.schemas + Number(name === '__schema'),
    types: below.types + Number(name === '__type'),
    schemaAliases: name === '__schema' || name === '__type' ? below.aliases : below.schemaAliases,
  };
}

/**
 * The message for too much introspection: it needs no key, and each `__schema` is answered with the whole schema.
 * GraphiQL and code generators select it once and without aliases. GraphQL's own rule limits fields of fields.
 */
export function excessiveIntrospection({ schemas, types, schemaAliases }: Extent): string | null {
  if (schemas > SCHEMAS_MAX) {
    return `The operation asks for __schema ${schemas} times; at most ${SCHEMAS_MAX} is allowed.`;
  }
  if (types > TYPES_MAX) {
    return `The operation asks for __type ${types} times; at most ${TYPES_MAX} are allowed.`;
  }
  return schemaAliases > 0 ? 'Aliases are not allowed within __schema and __type.' : null;
}
