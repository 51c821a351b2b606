import { ApiError } from '../errors.js';
import type { BytesUnderWay } from './bytes-under-way.js';

/** What is shorter finds room with the kernel, and is not worth counting. */
const SHORT_ANSWER_BYTES = 65_536;

/**
 * How much text the answer to one request may have. Long texts are taken from it before they are read: so what a
 * request holds in memory is bounded, however many aliases it has, and however long a page is.
 */
export class AnswerBudget {
  #taken = 0;
  /** Of what is under way for the tenant. */
  #held = 0;
  #hasEnded = false;

  /** @param tenantId null: the answer has no tenant's texts but those that the request has brought */
  constructor(
    readonly bytesMax: number,
    private readonly underWay: BytesUnderWay,
    private readonly tenantId: number | null,
  ) {}

  /** Takes room for a text, each time that it stands in the answer. @returns why there is none; null: it was taken */
  take(bytes: number): ApiError | null {
    if (this.#taken + bytes > this.bytesMax) {
      return answerTooLarge(this.bytesMax);
    }
    const refusal = this.tenantId === null ? null : this.#hold(bytes);
    if (refusal === null) {
      this.#taken += bytes;
    }
    return refusal;
  }

  /** Takes room for the rest of an answer that is written. @returns why there is none; null: it was taken */
  takeWhole(answer: string): ApiError | null {
    return answer.length < SHORT_ANSWER_BYTES ? null : this.#hold(Math.max(0, Buffer.byteLength(answer) - this.#held));
  }

  /** What is still being read when the client is gone is not held for it. */
  #hold(bytes: number): ApiError | null {
    const refusal = this.#hasEnded ? null : this.underWay.take(this.tenantId, bytes);
    this.#held += this.#hasEnded || refusal !== null ? 0 : bytes;
    return refusal;
  }

  /** The answer has been taken, or its client is gone: what it had is room for others. */
  end(): void {
    this.#hasEnded = true;
    if (this.#held > 0) {
      this.underWay.giveBack(this.tenantId, this.#held);
      this.#held = 0;
    }
  }

  /** As `take`, of a text that is there already. @throws ApiError answer_too_large, rate_limited */
  spend(text: string): string {
    const refusal = this.take(Buffer.byteLength(text));
    if (refusal !== null) {
      throw refusal;
    }
    return text;
  }
}

export function answerTooLarge(bytesMax: number): ApiError {
  return new ApiError(
    'answer_too_large',
    `The answer would have more than ${bytesMax} bytes of text. Ask for smaller pages, or for each long text once.`,
  );
}
