import { sqlStateOf } from '../../platform/database/driver/sql-state.js';

/** Longer than load balancers need to notice; then another emit has to show whether Postgres can write. */
const REMEMBERED_MS = 30_000;

/** Out of room (except connections), files that cannot be written, a server that takes no changes. */
const CANNOT_WRITE = /^(53(?!300)|58|25006)/;

/**
 * Says whether emits of this process fail because Postgres cannot write: with a full disk it still answers reads. A
 * test write would prove nothing, since there may be room for a small one.
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

  /** A sentence; null without such trouble. */
  get why(): string | null {
    return this.now() - this.#failedAtMs < REMEMBERED_MS
      ? 'The database cannot write: the last emit failed. It may have no room, or take no changes.'
      : null;
  }
}
