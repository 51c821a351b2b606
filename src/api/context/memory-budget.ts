import { ApiError, rateLimited } from '../../errors.js';
import { Counts } from '../../platform/concurrency/counts.js';

const TRY_AGAIN_MS = 1_000;
/** Each tenant may have as many of the longest answers and request bodies in memory. */
const ANSWERS_MAX = 4;
const BODIES_MAX = 32;

/** Limits the memory that slow clients of each tenant occupy in a process. */
export class MemoryBudget {
  /** By tenant; null: without one. */
  readonly #reserved = new Counts<number | null>();

  /** @param refusal the message when nothing is left */
  constructor(
    private readonly bytesMax: number,
    private readonly refusal: string,
  ) {}

  /** @returns why nothing was reserved; null: it was, and must be freed */
  reserve(tenantId: number | null, bytes: number): ApiError | null {
    if (this.#reserved.of(tenantId) + bytes > this.bytesMax) {
      return rateLimited(this.refusal, TRY_AGAIN_MS);
    }
    this.#reserved.add(tenantId, bytes);
    return null;
  }

  free(tenantId: number | null, bytes: number): void {
    this.#reserved.add(tenantId, -bytes);
  }
}

/** Limits answers that clients have not read completely. */
export function answerMemory(answerBytesMax: number): MemoryBudget {
  const bytesMax = ANSWERS_MAX * answerBytesMax;
  return new MemoryBudget(bytesMax, `The unread answers of this tenant already have ${bytesMax} bytes, the limit.`);
}

/** Limits request bodies that clients have not sent completely. A body of unknown length counts as the longest. */
export function bodyMemory(bodyBytesMax: number): MemoryBudget {
  const bytesMax = BODIES_MAX * bodyBytesMax;
  return new MemoryBudget(
    bytesMax,
    `The bodies that this tenant is sending already have ${bytesMax} bytes, the limit.`,
  );
}

/** Shorter answers fit into the buffers of the kernel. */
const SHORT_ANSWER_BYTES = 65_536;

/** Limits the text of one answer. Long texts are reserved before they are read, however many aliases a request has. */
export class AnswerBudget {
  #taken = 0;
  #reserved = 0;
  #hasEnded = false;

  /** @param tenantId null: the answer has no texts of a tenant besides those in the request */
  constructor(
    readonly bytesMax: number,
    private readonly memory: MemoryBudget,
    private readonly tenantId: number | null,
  ) {}

  /** Reserves a text for each time that it is in the answer. @returns the refusal; null: it was reserved */
  reserve(bytes: number): ApiError | null {
    if (this.#taken + bytes > this.bytesMax) {
      return answerTooLarge(this.bytesMax);
    }
    const refusal = this.tenantId === null ? null : this.#reserve(bytes);
    this.#taken += refusal === null ? bytes : 0;
    return refusal;
  }

  /** Reserves the rest of a written answer. @returns the refusal; null: it was reserved */
  reserveWhole(answer: string): ApiError | null {
    return answer.length < SHORT_ANSWER_BYTES
      ? null
      : this.#reserve(Math.max(0, Buffer.byteLength(answer) - this.#reserved));
  }

  /** Reserves a text that is in memory already. @throws ApiError answer_too_large, rate_limited */
  spend(text: string): string {
    const refusal = this.reserve(Buffer.byteLength(text));
    if (refusal !== null) {
      throw refusal;
    }
    return text;
  }

  /** Frees everything: the answer was read, or its client is gone. Later texts are not reserved. */
  end(): void {
    this.#hasEnded = true;
    this.memory.free(this.tenantId, this.#reserved);
    this.#reserved = 0;
  }

  #reserve(bytes: number): ApiError | null {
    const refusal = this.#hasEnded ? null : this.memory.reserve(this.tenantId, bytes);
    this.#reserved += this.#hasEnded || refusal !== null ? 0 : bytes;
    return refusal;
  }
}

export function answerTooLarge(bytesMax: number): ApiError {
  return new ApiError(
    'answer_too_large',
    `The answer would have more than ${bytesMax} bytes of text. Ask for smaller pages, or for each long text once.`,
  );
}
