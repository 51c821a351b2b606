import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/**
 * Whether the field that is being resolved asks for a field of its object, by itself or in a fragment. Conditions are
 * not looked at: a field that `@skip` leaves out counts as asked for.
 */
export function asksFor({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const has = (selectionSet: SelectionSetNode | undefined): boolean =>
    selectionSet?.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) {
        return selection.name.value === name;
      }
      const { selectionSet } =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value]! : selection;
      return has(selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => has(selectionSet));
}
