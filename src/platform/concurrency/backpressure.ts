import { FairQueue } from './fair-queue.js';

interface Waiting {
  /** How many items it makes. */
  weight: number;
  untilMs: number;
  begin(): void;
}

interface BackpressureOptions {
  /** The number of items that there is room for at the moment; infinite: no work needs to wait. */
  room: () => number;
  /** Waiting work begins when there is room for this many items: together, so that it can share a transaction. */
  roomMin: number;
  /** Work that has waited for this long begins without room. */
  waitMsMax: number;
  /** How often the room is checked while work waits. */
  checkEveryMs: number;
}

/** Lets work begin no faster than there is room for the items it makes: the first work of each key, then the next. */
export class Backpressure {
  readonly #waiting = new FairQueue<Waiting>();
  /** Items of work that has begun: the room does not show them yet. */
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BackpressureOptions) {}

  /** Does `work` as soon as there is room. @throws what `work` throws */
  async run<Result>(key: unknown, items: number, work: () => Promise<Result>): Promise<Result> {
    if (!this.#waiting.isEmpty || this.#room <= 0) {
      await this.#wait(key, items);
    } else {
      this.#inFlight += items;
    }
    try {
      return await work();
    } finally {
      this.#inFlight -= items;
    }
  }

  /** Items of the work that waits. */
  get waiting(): number {
    return this.#waiting.weight;
  }

  get #room(): number {
    return this.options.room() - this.#inFlight;
  }

  #wait(key: unknown, items: number): Promise<void> {
    const { waitMsMax, checkEveryMs } = this.options;
    return new Promise((begin) => {
      this.#waiting.add(key, { weight: items, untilMs: performance.now() + waitMsMax, begin });
      this.#timer ??= setInterval(() => this.#check(), checkEveryMs);
    });
  }

  #check(): void {
    const now = performance.now();
    for (const work of this.#waiting.takeAll(({ untilMs }) => untilMs <= now)) {
      this.#begin(work);
    }
    if (this.#room >= this.options.roomMin) {
      for (const work of this.#waiting.takeAll(() => this.#room > 0)) {
        this.#begin(work);
      }
    }
    if (this.#waiting.isEmpty) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #begin({ weight, begin }: Waiting): void {
    this.#inFlight += weight;
    begin();
  }
}
