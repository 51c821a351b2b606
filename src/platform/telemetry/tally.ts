/**
 * A counter with labels. It counts what happens to every event, so it is plain numbers until they are read: prom-client
 * takes a microsecond to find the right one among its own.
 */
export class Tally {
  readonly #counts = new Map<string, { labels: Record<string, string>; count: number }>();

  constructor(private readonly labels: readonly string[]) {}

  count(...values: string[]): void {
    this.add(1, ...values);
  }

  /** @param values of the labels, in their order: few, the service's own, and without spaces */
  add(amount: number, ...values: string[]): void {
    const key = values.join(' ');
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count += amount;
      return;
    }
    const labels = Object.fromEntries(this.labels.map((label, index) => [label, values[index] ?? '']));
    this.#counts.set(key, { labels, count: amount });
  }

  each(read: (labels: Record<string, string>, count: number) => void): void {
    for (const { labels, count } of this.#counts.values()) {
      read(labels, count);
    }
  }
}
