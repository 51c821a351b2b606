import { hash, timingSafeEqual } from 'node:crypto';

const LIFE_MS = 600_000;
const BYTES = 32;

/** A code that opens the console of this process once, within ten minutes. */
export class OneTimeCode {
  readonly text: string;
  readonly #endsAtMs: number;
  #isUsed = false;

  /** @param nowMs never going back */
  constructor(
    random: (bytes: number) => Buffer,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.text = random(BYTES).toString('base64url');
    this.#endsAtMs = nowMs() + LIFE_MS;
  }

  /** Uses the code up. @returns whether it was right and still valid */
  take(text: string): boolean {
    const isRight = timingSafeEqual(hash('sha256', text, 'buffer'), hash('sha256', this.text, 'buffer'));
    const works = isRight && !this.#isUsed && this.nowMs() < this.#endsAtMs;
    this.#isUsed ||= works;
    return works;
  }
}
