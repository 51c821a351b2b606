import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../fields/selection.js';
import { type Introspection, introspectionAt, noIntrospection, together } from './introspection-limits.js';

/** What a selection set comes to, with everything below it and the fragments that it spreads. */
interface Extent {
  /** On its own level. */
  fields: number;
  aliases: number;
  depth: number;
  /** What it asks of the schema. */
  introspection: Introspection;
}

const nothing: Extent = { fields: 0, aliases: 0, depth: 0, introspection: noIntrospection };

/**
 * Follows the fragments. Each is looked at once, so that fragments that spread each other cost no more than their text.
 */
export class Extents {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #known = new Map<string, Extent>();

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  of({ selections }: SelectionSetNode): Extent {
    const total = { ...nothing };
    for (const selection of selections) {
      const { fields, aliases, depth, introspection } = this.#ofSelection(selection);
      total.fields += fields;
      total.aliases += aliases;
      total.depth = Math.max(total.depth, depth);
      total.introspection = together(total.introspection, introspection);
    }
    return total;
  }

  #ofSelection(selection: SelectionNode): Extent {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      return this.#ofFragment(selection.name.value);
    }
    const below = selection.selectionSet ? this.of(selection.selectionSet) : nothing;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return below;
    }
    const name = selection.name.value;
    return {
      fields: 1,
      aliases: below.aliases + (selection.alias === undefined ? 0 : 1),
      // Introspection has a rule of its own: the usual query for a whole schema is 13 levels deep.
      depth: name.startsWith('__') ? 1 : below.depth + 1,
      introspection: introspectionAt(name, below.aliases, below.introspection),
    };
  }

  #ofFragment(name: string): Extent {
    const known = this.#known.get(name);
    if (known !== undefined) {
      return known;
    }
    this.#known.set(name, nothing); // for a fragment that spreads itself, which another rule refuses
    const fragment = this.#fragments.get(name);
    const extent = fragment ? this.of(fragment.selectionSet) : nothing;
    this.#known.set(name, extent);
    return extent;
  }
}
