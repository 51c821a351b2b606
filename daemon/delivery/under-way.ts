/** What is being worked on, by id, and its ends for those who wait for them. */
export class UnderWay {
  readonly #ids = new Set<number>();
  readonly #awaited = new Map<number, PromiseWithResolvers<void>>();

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  begin(id: number): void {
    this.#ids.add(id);
  }

  end(id: number): void {
    this.#ids.delete(id);
    const awaited = this.#awaited.get(id);
    if (awaited !== undefined) {
      this.#awaited.delete(id);
      awaited.resolve();
    }
  }

  /** Resolves when this one, which is under way, has ended. */
  endOf(id: number): Promise<void> {
    const awaited = this.#awaited.get(id) ?? Promise.withResolvers<void>();
    this.#awaited.set(id, awaited);
    return awaited.promise;
  }
}
