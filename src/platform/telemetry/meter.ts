import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Tally } from './tally.js';

/** Makes the metrics of a registry. None is labelled by tenant, webhook, key or event type: there is no end of them. */
export class Meter {
  readonly #registers: [Registry];

  constructor(readonly registry = new Registry()) {
    this.#registers = [registry];
  }

  counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: this.#registers });
  }

  /** @param read a number that only grows */
  total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** @param known values of the only label that are shown as 0 from the start */
  tally(name: string, help: string, labels: readonly string[], known: readonly string[] = []): Tally {
    const tally = new Tally(labels);
    for (const value of known) {
      tally.add(0, value);
    }
    const collect = (counter: Counter) => {
      counter.reset();
      tally.each((values, count) => counter.inc(values, count));
    };
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: this.#registers,
      collect() {
        collect(this);
      },
    });
    return tally;
  }

  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram<string> {
    return new Histogram({ name, help, buckets, labelNames, registers: this.#registers });
  }

  /** @param read the value, or a value for each set of labels */
  gauge(
    name: string,
    help: string,
    read: () => number | Promise<number> | Labelled[],
    labelNames: string[] = [],
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: this.#registers,
      async collect() {
        const values = await read();
        for (const [labels, value] of typeof values === 'number' ? [[{}, values] as const] : values) {
          this.set(labels, value);
        }
      },
    });
  }
}

type Labelled = readonly [labels: Record<string, string>, value: number];
