import { Counter, type Registry } from 'prom-client';

interface TallyOptions<Label extends string> {
  name: string;
  help: string;
  labels: readonly Label[];
  registry: Registry;
  /** Values of the only label that are shown from the start, as 0: what never happened shows as such. */
  known?: readonly string[];
}

/**
 * A counter with labels. What happens to every event is counted by it, so it is plain numbers until somebody asks:
 * prom-client takes a microsecond to find the right one among its own.
 */
export class Tally<Label extends string> {
  readonly #counts = new Map<string, { labels: Record<Label, string>; count: number }>();

  constructor(private readonly options: TallyOptions<Label>) {
    const { name, help, labels, registry, known = [] } = options;
    const counts = this.#counts;
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, count } of counts.values()) {
          this.inc(labels, count);
        }
      },
    });
    for (const value of known) {
      this.add(0, value);
    }
  }

  /** As `add`, one. */
  count(...values: string[]): void {
    this.add(1, ...values);
  }

  /** @param values of the labels, in their order; they are the service's own, few, and have no space in them */
  add(amount: number, ...values: string[]): void {
    const key = values.join(' ');
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count += amount;
      return;
    }
    const labels = Object.fromEntries(this.options.labels.map((label, index) => [label, values[index] ?? '']));
    this.#counts.set(key, { labels: labels as Record<Label, string>, count: amount });
  }
}
