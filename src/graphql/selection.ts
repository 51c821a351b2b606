import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/**
 * The fields of a selection set, by themselves or in fragments, of which each is looked into once. Conditions are not
 * looked at: a field that `@skip` leaves out is among them.
 *
 * @param fragmentNamed undefined: there is none, which another rule refuses
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

/** Whether the field that is being resolved asks for a field of its object. */
export function asksFor({ fieldNodes, fragments }: GraphQLResolveInfo, wanted: string): boolean {
  return fieldNodes.some(
    ({ selectionSet }) =>
      selectionSet !== undefined &&
      [...fieldsIn(selectionSet, (name) => fragments[name])].some(({ name }) => name.value === wanted),
  );
}
