/** How often an endpoint answers 200 at most: a token bucket, that is full at first. */
export interface RateLimit {
  perSecond: number;
  /** How many it takes at once. */
  burst: number;
  /** The `Retry-After` of its 429s, in seconds; null: they have none. */
  retryAfterSeconds: number | null;
}

/** Answers one request. @param headers of the answer, besides those that every answer has */
type Respond = (status: 200 | 429 | 500, headers: Readonly<Record<string, string>>) => void;

/**
 * When an endpoint answers a request, and what, until it is changed: a test, or a scenario of the bench, changes it while
 * requests come. It decides alone: the server that it belongs to reads requests and writes answers.
 */
export class Behaviour {
  /** From a request's arrival to its answer, in ms: always the same, or evenly between two; null: it is never answered. */
  latencyMs: number | null | readonly [fromMs: number, toMs: number] = 0;
  /** The share of the requests that are answered 500, in percent. */
  failPercent = 0;
  /** How many requests were answered 429. */
  limited = 0;
  #stalled: (() => void)[] | null = null;
  #limit: RateLimit | null = null;
  #tokens = 0;
  #tokensAt = 0;

  /** From now on nothing is answered, also not what came before; a 429 neither. */
  stall(): void {
    this.#stalled ??= [];
  }

  /** Ends the stall. What was due during it is answered now; or never, and its connections stay open. */
  endStall(dueOnes: 'answered' | 'never'): void {
    const due = this.#stalled ?? [];
    this.#stalled = null;
    if (dueOnes === 'answered') {
      for (const answer of due) {
        answer();
      }
    }
  }

  /** From now on what is above this is answered 429, at once. Null: nothing is. */
  limitTo(limit: RateLimit | null): void {
    this.#limit = limit;
    this.#tokens = limit?.burst ?? 0;
    this.#tokensAt = performance.now();
  }

  /** Has a request answered when it is time. */
  treat(respond: Respond): void {
    if (this.#limit !== null && !this.#takeToken(this.#limit)) {
      const { retryAfterSeconds } = this.#limit;
      this.limited += 1;
      this.#answer(() => respond(429, retryAfterSeconds === null ? {} : { 'Retry-After': `${retryAfterSeconds}` }));
      return;
    }
    const status = 100 * Math.random() < this.failPercent ? 500 : 200;
    const answer = () => this.#answer(() => respond(status, {}));
    const [fromMs, toMs] =
      typeof this.latencyMs === 'number' ? [this.latencyMs, this.latencyMs] : (this.latencyMs ?? []);
    if (fromMs === 0) {
      answer();
    } else if (fromMs !== undefined && toMs !== undefined) {
      setTimeout(answer, fromMs + Math.random() * (toMs - fromMs));
    }
  }

  #answer(answer: () => void): void {
    if (this.#stalled === null) {
      answer();
    } else {
      this.#stalled.push(answer);
    }
  }

  #takeToken({ perSecond, burst }: RateLimit): boolean {
    const now = performance.now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#tokensAt) / 1000) * perSecond);
    this.#tokensAt = now;
    if (this.#tokens < 1) {
      return false;
    }
    this.#tokens -= 1;
    return true;
  }
}
