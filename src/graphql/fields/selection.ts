import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document by their names. */
export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );

/**
 * The fields of a selection set and of the fragments in it, including those that `@skip` leaves out. Each fragment is
 * visited once.
 *
 * @param fragmentNamed returns undefined for an unknown fragment, which another rule refuses
 */
export function* fieldsIn(
  { selections }: SelectionSetNode,
  fragmentNamed: (name: string) => FragmentDefinitionNode | undefined,
  spread: Set<string> = new Set(),
): Generator<FieldNode, void> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      yield selection;
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      yield* fieldsIn(selection.selectionSet, fragmentNamed, spread);
    } else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      const fragment = fragmentNamed(selection.name.value);
      if (fragment !== undefined) {
        yield* fieldsIn(fragment.selectionSet, fragmentNamed, spread);
      }
    }
  }
}

/** Whether the field being resolved selects this field of its object. */
export function asksFor({ fieldNodes, fragments }: GraphQLResolveInfo, wanted: string): boolean {
  return fieldNodes.some(
    ({ selectionSet }) =>
      selectionSet !== undefined &&
      [...fieldsIn(selectionSet, (name) => fragments[name])].some(({ name }) => name.value === wanted),
  );
}
