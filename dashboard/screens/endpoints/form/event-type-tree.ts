/** An event type, as a form offers it. */
export interface OfferedType {
  name: string;
  description: string;
  deprecatedAt?: string | null;
  /** The service itself emits it. */
  reserved?: boolean;
}

/** The types that an endpoint can choose: a deprecated one only if it is subscribed to it already. */
export const offeredTypes = <Type extends OfferedType>(types: readonly Type[], subscribed: readonly string[]): Type[] =>
  types.filter(({ name, deprecatedAt }) => deprecatedAt == null || subscribed.includes(name));

/** Event types whose names begin alike, such as `booking` or `booking.payment`. */
export interface TypeBranch {
  /** The parts that they have in common. */
  prefix: string;
  /** All of them. */
  types: OfferedType[];
  children: TypeNode[];
}

export type TypeNode = TypeBranch | OfferedType;

/** Whether all, some or none of a group is chosen. */
export type Choice = 'all' | 'some' | 'none';

/**
 * The types as a tree by the parts of their names, sorted. A type that shares its beginning with no other has no branch.
 *
 * @param search keeps those that have every word of it in their name or description.
 */
export function treeOf(types: readonly OfferedType[], search: string): TypeNode[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = types.filter(({ name, description }) => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return branches(
    found.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    1,
  );
}

function branches(types: readonly OfferedType[], length: number): TypeNode[] {
  const groups = Map.groupBy(types, ({ name }) => name.split('.').slice(0, length).join('.'));
  return [...groups].flatMap(([prefix, group]): TypeNode[] => {
    if (group.length === 1) {
      return group;
    }
    const children = branches(group, length + 1);
    // A branch whose only child is a branch is that branch, with the longer name.
    return children.length === 1 ? children : [{ prefix, types: group, children }];
  });
}

export function choiceOf(types: readonly OfferedType[], chosen: ReadonlySet<string>): Choice {
  const ticked = types.filter(({ name }) => chosen.has(name)).length;
  return ticked === 0 ? 'none' : ticked === types.length ? 'all' : 'some';
}

/** Ticks all of the types, or none of them where all were ticked. */
export function toggleTypes(types: readonly OfferedType[], chosen: ReadonlySet<string>): Set<string> {
  const names = types.map(({ name }) => name);
  const next = new Set(chosen);
  const isAll = choiceOf(types, chosen) === 'all';
  for (const name of names) {
    if (isAll) {
      next.delete(name);
    } else {
      next.add(name);
    }
  }
  return next;
}
