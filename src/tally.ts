import { Counter, type Registry } from 'prom-client';

export interface TallyOptions<Label extends string> {
  name: string;
  help: string;
  labels: readonly Label[];
  registry: Registry;
}

/**
 * A counter for what happens to every event: plain numbers until somebody asks, since prom-client takes a microsecond to
 * find the right one among its own.
 */
export class Tally<Label extends string> {
  readonly #counts = new Map<string, { labels: Record<Label, string>; count: number }>();

  constructor(private readonly options: TallyOptions<Label>) {
    const { name, help, labels, registry } = options;
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
  }

  /** @param values of the labels, in their order; they are the service's own, few, and have no space in them */
  count(...values: string[]): void {
    const key = values.join(' ');
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const labels = Object.fromEntries(
      this.options.labels.map((label, index) => [label, values[index] ?? '']),
    );
    this.#counts.set(key, { labels: labels as Record<Label, string>, count: 1 });
  }
}
