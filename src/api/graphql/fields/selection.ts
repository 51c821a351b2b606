import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Returns undefined for an unknown fragment, which another rule refuses. */
type FragmentNamed = (name: string) => FragmentDefinitionNode | undefined;

export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );

/** The selections of a set and of the fragments in it. Each fragment is visited once. */
export function selectionsIn(
  { selections }: SelectionSetNode,
  fragmentNamed: FragmentNamed,
  spread: Set<string> = new Set(),
): SelectionNode[] {
  return selections.flatMap((selection) => {
    let below: SelectionSetNode | undefined;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      below = selection.selectionSet;
    } else if (selection.kind === Kind.FRAGMENT_SPREAD && !spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      below = fragmentNamed(selection.name.value)?.selectionSet;
    }
    return below === undefined ? [selection] : [selection, ...selectionsIn(below, fragmentNamed, spread)];
  });
}

/** The fields of a selection set and of the fragments in it, including those that `@skip` leaves out. */
export const fieldsIn = (set: SelectionSetNode, fragmentNamed: FragmentNamed): FieldNode[] =>
  selectionsIn(set, fragmentNamed).filter((selection) => selection.kind === Kind.FIELD);

/** Whether the field being resolved selects this field of its object. */
export const asksFor = ({ fieldNodes, fragments }: GraphQLResolveInfo, wanted: string): boolean =>
  fieldNodes.some(
    ({ selectionSet }) =>
      selectionSet !== undefined &&
      fieldsIn(selectionSet, (name) => fragments[name]).some(({ name }) => name.value === wanted),
  );
