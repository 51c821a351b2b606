interface Entry<Value> {
  value: Value;
  weight: number;
  untilMs: number;
}

/**
 * A map that forgets each entry after a time, and before that the ones that were not asked for longest, where all of
 * them would weigh too much.
 */
export class WeighedMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();
  #weight = 0;

  constructor(
    private readonly weightMax: number,
    private readonly keptForMs = Number.POSITIVE_INFINITY,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  /** @param now milliseconds, never going back */
  get(key: Key, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    if (entry.untilMs <= now) {
      this.#weight -= entry.weight;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** An entry that weighs too much alone is not kept. */
  set(key: Key, value: Value, weight: number, now: number): void {
    this.#delete(key);
    if (weight > this.weightMax) {
      return;
    }
    this.#entries.set(key, { value, weight, untilMs: now + this.keptForMs });
    this.#weight += weight;
    for (const [oldest, { untilMs }] of this.#entries) {
      if (this.#weight <= this.weightMax && untilMs > now) {
        return;
      }
      this.#delete(oldest);
    }
  }

  /** Forgets the entries whose time is over. */
  forget(now: number): void {
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs <= now) {
        this.#delete(key);
      }
    }
  }

  #delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
