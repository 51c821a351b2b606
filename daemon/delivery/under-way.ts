/** The ids of what is being worked on. Others may wait for the end of each. */
export class UnderWay {
  /** Null: nobody waits for its end. */
  readonly #ends = new Map<number, PromiseWithResolvers<void> | null>();

  has(id: number): boolean {
    return this.#ends.has(id);
  }

  begin(id: number): void {
    this.#ends.set(id, null);
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
