import DataLoader from 'dataloader';

/** Without a cache, because a request with several mutations must see the effect of each. */
export const uncached = { cache: false } as const;

/**
 * Reads lists of parents. Parents with the same question share a query, whose `parents` have no duplicates.
 *
 * @param split the id of a parent and its question
 */
export function groupedBy<Wanted, Item>(
  tenantId: number | null,
  split: (wanted: Wanted) => readonly [parent: number, question: unknown],
  read: (
    tenantId: number,
    group: readonly [Wanted, ...Wanted[]],
    parents: number[],
  ) => Promise<ReadonlyMap<number, Item[]>>,
): DataLoader<Wanted, Item[]> {
  return new DataLoader(async (wanted: readonly Wanted[]) => {
    if (tenantId === null) {
      return wanted.map(() => []);
    }
    const found = new Map<Wanted, Item[]>();
    for (const group of Map.groupBy(wanted, (one) => JSON.stringify(split(one)[1])).values()) {
      const parents = group.map((one) => split(one)[0]);
      const items = await read(tenantId, group as [Wanted, ...Wanted[]], [...new Set(parents)]);
      group.forEach((one, index) => {
        found.set(one, items.get(parents[index]!) ?? []);
      });
    }
    return wanted.map((one) => found.get(one) ?? []);
  }, uncached);
}
