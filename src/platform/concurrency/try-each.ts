/**
 * Works on one item after the other, also after a failure.
 *
 * @param noun the items' name in the error
 * @throws AggregateError the failures, after all items
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
