/** A number for each key, zero at first. A key at zero occupies no memory. */
export class Counts<Key> {
  readonly #counts = new Map<Key, number>();

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: Key, change: number): void {
    const count = this.of(key) + change;
    if (count > 0) {
      this.#counts.set(key, count);
    } else {
      this.#counts.delete(key);
    }
  }
}
