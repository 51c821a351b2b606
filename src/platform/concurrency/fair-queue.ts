/** Work that waits in lines by key. Each next item is another key's: a key with much work holds up no other. */
export class FairQueue<Item extends { weight: number }> {
  /** In the order in which the keys come next; none is empty. */
  readonly #lines = new Map<unknown, Item[]>();
  /** The sum of the items' weights. */
  weight = 0;

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  add(key: unknown, item: Item): void {
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, [item]);
    } else {
      line.push(item);
    }
    this.weight += item.weight;
  }

  /**
   * Takes the first item of the next key, whose other items then come behind those of other keys.
   *
   * @param mayTake passes over keys whose first item is refused
   */
  take(mayTake: (item: Item) => boolean): Item | undefined {
    for (const [key, line] of this.#lines) {
      if (mayTake(line[0]!)) {
        return this.#takeFrom(key, line);
      }
    }
    return undefined;
  }

  /** Takes items, one after another, until there is none that may be taken. */
  *takeAll(mayTake: (item: Item) => boolean): Generator<Item> {
    for (let item = this.take(mayTake); item !== undefined; item = this.take(mayTake)) {
      yield item;
    }
  }

  #takeFrom(key: unknown, line: Item[]): Item {
    const item = line.shift()!;
    this.weight -= item.weight;
    if (line.length === 0) {
      this.#lines.delete(key);
    } else if (this.#lines.size > 1) {
      this.#lines.delete(key);
      this.#lines.set(key, line);
    }
    return item;
  }
}
