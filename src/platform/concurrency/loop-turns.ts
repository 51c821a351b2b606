import { FairQueue } from './fair-queue.js';

/** The default for daemons, whose heartbeats and receivers wait meanwhile. */
const TURN_MS = 1;
/** How soon work is tried again that may not begin yet. */
const TRY_EVERY_MS = 5;

interface Waiting<Key> {
  weight: number;
  key: Key;
  begin(): void;
}

/**
 * Does synchronous work piece by piece, so that the event loop goes on between the pieces: each is short, but many of
 * them come in one turn. The keys of waiting pieces take turns.
 */
export class LoopTurns<Key> {
  readonly #waiting = new FairQueue<Waiting<Key>>();
  /** In this turn. */
  #usedMs = 0;
  #nextIsSet = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param mayBegin asked again every few milliseconds where it says no; default: all may begin
   * @param turnMs in one turn of the event loop, work begins until it has taken this long
   */
  constructor(
    private readonly mayBegin: (key: Key) => boolean = () => true,
    private readonly turnMs = TURN_MS,
  ) {}

  get waitingCount(): number {
    return this.#waiting.weight;
  }

  /** Does the work now where there is time for it, or in a later turn. @throws what `work` throws */
  run<Result>(key: Key, work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        const startedAtMs = performance.now();
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
        this.#usedMs += performance.now() - startedAtMs;
      };
      if (this.#waiting.isEmpty && this.#hasTime && this.mayBegin(key)) {
        begin();
      } else {
        this.#waiting.add(key, { weight: 1, key, begin });
      }
      this.#setNext();
    });
  }

  get #hasTime(): boolean {
    return this.#usedMs < this.turnMs;
  }

  #setNext(): void {
    if (!this.#nextIsSet) {
      this.#nextIsSet = true;
      setImmediate(() => {
        this.#nextIsSet = false;
        this.#next();
      });
    }
  }

  #next(): void {
    this.#usedMs = 0;
    while (this.#hasTime) {
      const next = this.#waiting.take(({ key }) => this.mayBegin(key));
      if (next === undefined) {
        break;
      }
      next.begin();
    }
    if (this.#waiting.isEmpty) {
      if (this.#usedMs > 0) {
        this.#setNext(); // the next turn has its time again
      }
      return;
    }
    if (this.#hasTime) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#next();
      }, TRY_EVERY_MS);
    } else {
      this.#setNext();
    }
  }
}
