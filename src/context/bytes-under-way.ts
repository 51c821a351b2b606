import { type ApiError, rateLimited } from '../errors.js';

const TRY_AGAIN_MS = 1_000;

/**
 * What a process holds in memory for each tenant because a client is slow: one that reads or sends slowly, or not at
 * all, has it held long.
 */
export class BytesUnderWay {
  /** By tenant; null: without one. */
  readonly #bytes = new Map<number | null, number>();

  /**
   * @param bytesMax for each tenant
   * @param refusal a sentence that tells a client why there is no room
   */
  constructor(
    private readonly bytesMax: number,
    private readonly refusal: string,
  ) {}

  /** @returns why there is no room; null: it was taken, and must be given back */
  take(tenantId: number | null, bytes: number): ApiError | null {
    const held = this.#bytes.get(tenantId) ?? 0;
    if (held + bytes > this.bytesMax) {
      return rateLimited(this.refusal, TRY_AGAIN_MS);
    }
    this.#bytes.set(tenantId, held + bytes);
    return null;
  }

  giveBack(tenantId: number | null, bytes: number): void {
    const left = (this.#bytes.get(tenantId) ?? 0) - bytes;
    if (left > 0) {
      this.#bytes.set(tenantId, left);
    } else {
      this.#bytes.delete(tenantId);
    }
  }
}

/** How many answers with as much long text as one may have a tenant may have on their way at the same time. */
const ANSWERS_UNDER_WAY = 4;

/** For the answers that clients have not taken yet. */
export function answersUnderWay(answerBytesMax: number): BytesUnderWay {
  const bytesMax = ANSWERS_UNDER_WAY * answerBytesMax;
  return new BytesUnderWay(
    bytesMax,
    `The answers that are on their way to this tenant already hold as much as they may, ${bytesMax} bytes.`,
  );
}

/** How many of the longest bodies a tenant may be sending at the same time. */
const BODIES_UNDER_WAY = 32;

/** For the bodies that clients have announced and not sent completely. */
export function bodiesUnderWay(bodyBytesMax: number): BytesUnderWay {
  const bytesMax = BODIES_UNDER_WAY * bodyBytesMax;
  return new BytesUnderWay(
    bytesMax,
    `The bodies that this tenant is sending already take as much as they may, ${bytesMax} bytes (one of unknown length counts as the longest).`,
  );
}
