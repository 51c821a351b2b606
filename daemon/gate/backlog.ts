/** A delivery that is called back comes within this time, or is not waited for any more. */
const EXPECTED_MS = 1_000;
/** Each fourth delivery that is called back is the oldest, whatever its priority: no lane starves. */
const OLDEST_EVERY = 4;
/** Deliveries that are put off beyond these come back at the time that their job has. */
const REMEMBERED_MAX = 50_000;

interface Line {
  priority: number;
  size: number;
  /** Ascending once it is sorted. Ids that are not in the backlog any more are passed over. */
  ids: number[];
  isSorted: boolean;
}

/**
 * The deliveries of one endpoint that were put off, in the order in which they are called back: by priority, then by
 * id, which is by age. Each has a job that brings it back later in any case: only this process knows the backlog.
 */
export class Backlog {
  readonly #deliveries = new Map<number, Line>();
  readonly #lines = new Map<number, Line>();
  /** Deliveries that were called back, and until when each is waited for. */
  readonly #expected = new Map<number, number>();
  /** Deliveries that are being put off: their jobs are not written yet. */
  puttingOff = 0;
  #calls = 0;
  /** How many are called next, whatever room there is, because none of the last ones came; 0: as many as have room. */
  staleCalls = 0;

  get size(): number {
    return this.#deliveries.size;
  }

  /** How many were called back and have not come yet. */
  get expectedCount(): number {
    return this.#expected.size;
  }

  get ahead(): number {
    return this.puttingOff + this.size + this.expectedCount;
  }

  /** @param delivery.priority its job's from now on; lower ones go first */
  add({ id, priority }: { id: number; priority: number }): void {
    if (this.#deliveries.size >= REMEMBERED_MAX || this.#deliveries.has(id)) {
      return;
    }
    const line = this.#lines.get(priority) ?? { priority, size: 0, ids: [], isSorted: true };
    this.#lines.set(priority, line);
    this.#deliveries.set(id, line);
    line.size += 1;
    line.isSorted &&= id > (line.ids.at(-1) ?? 0);
    line.ids.push(id);
  }

  /** The delivery is here, or needs nothing any more. @returns whether it was called back */
  take(id: number): boolean {
    this.#remove(id);
    return this.#expected.delete(id);
  }

  /** Whether deliveries of this priority, or a better one, wait here. */
  isBefore(priority: number): boolean {
    return [...this.#lines.values()].some((line) => line.priority <= priority && line.size > 0);
  }

  /** @returns the ids of up to `count` deliveries that are to come back now */
  call(count: number, now: number): number[] {
    const called: number[] = [];
    while (called.length < count && this.#deliveries.size > 0) {
      const id = this.#next();
      this.#remove(id);
      this.#expected.set(id, now + EXPECTED_MS);
      called.push(id);
    }
    return called;
  }

  forgetLate(now: number): void {
    for (const [id, untilMs] of this.#expected) {
      if (untilMs > now) {
        return;
      }
      this.#expected.delete(id);
    }
  }

  /** Their jobs are gone, or run at other times. */
  clear(): void {
    this.#deliveries.clear();
    this.#lines.clear();
    this.#expected.clear();
  }

  #remove(id: number): void {
    const line = this.#deliveries.get(id);
    if (line !== undefined) {
      line.size -= 1;
      this.#deliveries.delete(id);
    }
  }

  #next(): number {
    this.#calls += 1;
    const heads = [...this.#lines.values()]
      .filter(({ size }) => size > 0)
      .sort((a, b) => a.priority - b.priority)
      .map((line) => this.#head(line));
    return this.#calls % OLDEST_EVERY === 0 ? Math.min(...heads) : heads[0]!;
  }

  #head(line: Line): number {
    if (!line.isSorted) {
      line.ids = line.ids.filter((id) => this.#deliveries.get(id) === line).sort((a, b) => a - b);
      line.isSorted = true;
    }
    const first = line.ids.findIndex((id) => this.#deliveries.get(id) === line);
    line.ids.splice(0, first);
    return line.ids[0]!;
  }
}
