/** The ids of what is being worked on. Others may wait for the end of each. */
export class InFlight {
  /** Null: nobody waits for its end. */
  readonly #ends = new Map<number, PromiseWithResolvers<void> | null>();

  /** @returns false while it is under way already; else it must be ended */
  tryBegin(id: number): boolean {
    const isFree = !this.#ends.has(id);
    if (isFree) {
      this.#ends.set(id, null);
    }
    return isFree;
  }

  end(id: number): void {
    const ended = this.#ends.get(id);
    this.#ends.delete(id);
    ended?.resolve();
  }

  /** Resolves when the work on this id, which is under way, has ended. */
  endOf(id: number): Promise<void> {
    const ended = this.#ends.get(id) ?? Promise.withResolvers<void>();
    this.#ends.set(id, ended);
    return ended.promise;
  }
}
