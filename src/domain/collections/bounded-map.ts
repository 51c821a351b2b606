/** A map that forgets its oldest entry when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly sizeMax: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.sizeMax && !this.has(key)) {
      const oldest = this.keys().next();
      if (!oldest.done) {
        this.delete(oldest.value);
      }
    }
    return super.set(key, value);
  }

  /** Like `set`, but an existing key counts as added now. */
  renew(key: Key, value: Value): this {
    this.delete(key);
    return this.set(key, value);
  }
}
