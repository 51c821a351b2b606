import { ApiError, rateLimited } from '../errors.js';

const TRY_AGAIN_MS = 1_000;

/** How many answers of the largest size a tenant may have on their way at the same time. */
const ANSWERS_UNDER_WAY = 4;

/**
 * The long texts that a process holds in memory for each tenant: a client that reads slowly, or not, holds them long.
 */
export class TextsUnderWay {
  readonly #bytes = new Map<number, number>();
  readonly #bytesMax: number;

  constructor(answerBytesMax: number) {
    this.#bytesMax = ANSWERS_UNDER_WAY * answerBytesMax;
  }

  /** @returns why there is no room; null: it was taken */
  take(tenantId: number, bytes: number): ApiError | null {
    const held = this.#bytes.get(tenantId) ?? 0;
    if (held + bytes > this.#bytesMax) {
      const detail = `The answers that are on their way to this tenant already hold as much long text as they may, ${this.#bytesMax} bytes.`;
      return rateLimited(detail, TRY_AGAIN_MS);
    }
    this.#bytes.set(tenantId, held + bytes);
    return null;
  }

  giveBack(tenantId: number, bytes: number): void {
    const left = (this.#bytes.get(tenantId) ?? 0) - bytes;
    if (left > 0) {
      this.#bytes.set(tenantId, left);
    } else {
      this.#bytes.delete(tenantId);
    }
  }
}

/**
 * How much text the answer to one request may have. Long texts are taken from it before they are read: so what a
 * request holds in memory is bounded, however many aliases it has, and however long a page is.
 */
export class AnswerBudget {
  #taken = 0;
  #hasEnded = false;

  /** @param tenantId null: the answer has no tenant's texts but those that the request has brought */
  constructor(
    readonly bytesMax: number,
    private readonly underWay: TextsUnderWay,
    private readonly tenantId: number | null,
  ) {}

  /** Takes room for a text, each time that it stands in the answer. @returns why there is none; null: it was taken */
  take(bytes: number): ApiError | null {
    if (this.#taken + bytes > this.bytesMax) {
      return answerTooLarge(this.bytesMax);
    }
    // What is still being read when the client is gone is not held for it.
    const isHeld = this.tenantId !== null && !this.#hasEnded;
    const refusal = isHeld ? this.underWay.take(this.tenantId, bytes) : null;
    if (refusal === null) {
      this.#taken += bytes;
    }
    return refusal;
  }

  /** The answer has been taken, or its client is gone: what it had is room for others. */
  end(): void {
    if (!this.#hasEnded && this.tenantId !== null) {
      this.#hasEnded = true;
      this.underWay.giveBack(this.tenantId, this.#taken);
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
