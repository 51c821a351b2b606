import { BoundedMap } from '../../domain/collections/bounded-map.js';

interface Read<Value> {
  atMs: number;
  result: Promise<Value>;
}

/** Remembers what was read, by key. Reads of a key at the same time are one; a failed one is forgotten. */
export class Remembered<Key, Value> {
  readonly #reads: BoundedMap<Key, Read<Value>>;

  /** @param now monotonic, in ms */
  constructor(
    countMax: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#reads = new BoundedMap(countMax);
  }

  /** @param ageMaxMs since the beginning of the read */
  get(key: Key, ageMaxMs: number, read: () => Promise<Value>): Promise<Value> {
    const atMs = this.now();
    const known = this.#reads.get(key);
    if (known !== undefined && atMs - known.atMs < ageMaxMs) {
      return known.result;
    }
    const reading = { atMs, result: read() };
    this.#reads.set(key, reading);
    reading.result.catch(() => {
      if (this.#reads.get(key) === reading) {
        this.#reads.delete(key);
      }
    });
    return reading.result;
  }

  /** Forgets a key. A read of it that is under way is not remembered. */
  forget(key: Key): void {
    this.#reads.delete(key);
  }
}
