/**
 * Does work that is independent, one item after the other: one that fails keeps none of the others from being done.
 *
 * @param noun what the items are, for the error
 * @throws AggregateError what failed, after all have been tried
 */
export async function tryEach<Item>(
  items: readonly Item[],
  noun: string,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} of ${items.length} ${noun} failed`);
  }
}
