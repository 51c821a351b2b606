import type { Emitted } from './events.js';

/** A broken rule of an event. */
export interface Issue {
  /** Where it is in the event, such as `['payload', 'code']`. In `emitMany` it begins with the index of the event. */
  readonly path: readonly (string | number)[];
  /** The rule, such as `schema_required` or `event_type_unknown`. */
  readonly code: string;
  /** A sentence that goes on from the path. */
  readonly message: string;
}

/** What came of an event of `emitMany`. */
export type EmitResult = Emitted | HookwrightError;

interface Details {
  code: string;
  issues?: readonly Issue[];
  requestId?: string | null;
  retryable?: boolean;
  idempotencyKey?: string | undefined;
  results?: readonly EmitResult[] | undefined;
  cause?: unknown;
}

/** Why an event was not accepted, or is not known to be. Its message is for people, its `code` for programs. */
export class HookwrightError extends Error {
  override readonly name = 'HookwrightError';
  /** The rule that was broken (`event_type_unknown`), the refusal (`unauthenticated`), or the fault (`unreachable`). */
  readonly code: string;
  /** Where the first issue is. Empty when the error is not about a part of an event. */
  readonly path: readonly (string | number)[];
  /** All broken rules, the first one first. */
  readonly issues: readonly Issue[];
  /** Find the request in the log of Hookwright by it. Null when there was no answer. */
  readonly requestId: string | null;
  /** Whether the same emit may be accepted later. With the same `idempotencyKey` it is never accepted twice. */
  readonly retryable: boolean;
  /** The key of the event that was not accepted, also where the client made it. */
  readonly idempotencyKey: string | undefined;
  /** Of `emitMany`: for each event, in order, how it was accepted or why not. */
  readonly results: readonly EmitResult[] | undefined;

  constructor(
    message: string,
    { code, issues = [], requestId = null, retryable = false, idempotencyKey, results, cause }: Details,
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.issues = issues;
    this.path = issues[0]?.path ?? [];
    this.requestId = requestId;
    this.retryable = retryable;
    this.idempotencyKey = idempotencyKey;
    this.results = results;
  }

  /** The same error for one event of a request. */
  of({ event, idempotencyKey }: { event: string; idempotencyKey?: string | undefined }): HookwrightError {
    const { message, cause } = this;
    return new HookwrightError(`${event} was not accepted: ${message}`, { ...this, cause, idempotencyKey });
  }
}
