import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
const TIMEOUT_MS = 5_000;
/** The work after an answer may take this long. */
const EFFECT_TIMEOUT_MS = 10_000;
/** Receivers answer first and work afterwards: a second effect would have come by then. */
const SETTLE_MS = 500;

/** Counts what the receiver has done, by its `--effect-url`: a GET that answers with a number. */
export class Effects {
  /** @param pauseFactor 1, or in tests less: the part of the usual times that it waits */
  constructor(
    readonly url: URL,
    readonly pauseFactor: number,
  ) {}

  /** @throws Error with a sentence when the answer is not a number */
  async count(): Promise<number> {
    const text = await fetch(this.url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then((response) => response.text())
      .catch((error: Error & { cause?: Error }) => {
        throw new Error(`The effect URL ${this.url} does not answer: ${error.cause?.message || error.message}.`);
      });
    const number = /^\s*(?:\{\s*"count"\s*:\s*)?(\d{1,15})\s*\}?\s*$/.exec(text)?.[1];
    if (number === undefined) {
      throw new Error(
        `The effect URL ${this.url} must answer with the number of deliveries that had an effect, ` +
          `as 7 or {"count": 7}. It answered ${JSON.stringify(text.slice(0, 80))}.`,
      );
    }
    return Number(number);
  }

  /** How many effects `work` has: waits until there is one, and then for a second one. */
  async during(work: () => Promise<unknown>, expected: 0 | 1 = 1): Promise<number> {
    const before = await this.count();
    await work();
    const until = performance.now() + this.pauseFactor * EFFECT_TIMEOUT_MS;
    while (expected === 1 && (await this.count()) === before && performance.now() < until) {
      await delay(POLL_MS);
    }
    await delay(this.pauseFactor * SETTLE_MS);
    return (await this.count()) - before;
  }
}
