import { sqlStateOf } from '../../database/driver/sql-state.js';

/** Longer than balancers take to notice; then an emit has to show whether it still is so. */
const REMEMBERED_MS = 30_000;

/**
 * Out of room (but for connections, which others have), files that cannot be written, a server that takes no changes.
 * A broken page (class XX) is of one table or one index, and says nothing of other emits.
 */
const CANNOT_WRITE = /^(53(?!300)|58|25006)/;

/**
 * Whether the emits of this process fail because Postgres cannot write: it may answer questions all the same, with a
 * disk that is full. A small write of our own would prove nothing, since there may be room for that one.
 */
export class EmitTrouble {
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number) {}

  failed(error: unknown): void {
    if (CANNOT_WRITE.test(sqlStateOf(error))) {
      this.#failedAtMs = this.now();
    }
  }

  succeeded(): void {
    this.#failedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** In a sentence; null: the last emit was written, or none has failed for this reason within half a minute. */
  get why(): string | null {
    return this.now() - this.#failedAtMs < REMEMBERED_MS
      ? 'The database cannot write: the last emit failed. It may have no room, or take no changes.'
      : null;
  }
}
