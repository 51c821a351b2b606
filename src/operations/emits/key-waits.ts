import pg from 'pg';
import type { Emit, EmitResult } from '../../domain/events/emit.js';
import type { Statement } from '../../platform/database/database.js';
import { isLocked } from '../../platform/database/driver/sql-state.js';
import { GroupCommit } from '../../platform/database/group-commit.js';

/** Each keeps a connection while it waits. */
const AT_ONCE = 3;
/** Calls wait behind others for as long as those wait for their keys. */
const WAIT_MAX_MS = 1_000;

/** In a transaction: its emits wait for ordering keys as long as their callers may. */
export const waitForKeysStatement: Statement = {
  name: 'wait_for_keys',
  text: `select set_config('app.key_wait', '1s', true)`,
};

/** Whether nothing was emitted because another transaction has a key, for longer than a shared one waits. */
export const isKeyBusy = (error: unknown): boolean => error instanceof pg.DatabaseError && isLocked(error);

/**
 * Calls whose keys another transaction has, such as an application's that stays open. Each is written alone, so that
 * only those wait which emit with such a key.
 */
export class KeyWaits {
  readonly #alone: GroupCommit<readonly Emit[], EmitResult[]>;
  /** The calls that are being written, by what they have in common with others that would wait too. */
  readonly #calls = new Map<string, Promise<EmitResult[]>>();

  /** @param write writes one call, and waits for its keys */
  constructor(write: (items: readonly Emit[]) => Promise<EmitResult[]>) {
    this.#alone = new GroupCommit(async ([items]) => [await write(items!)], {
      itemsMax: 1,
      inFlightMax: AT_ONCE,
      waitMaxMs: WAIT_MAX_MS,
      keyOf: ([items]) => items?.[0]?.tenantId,
    });
  }

  /** Waits while a call of the same tenant, type and key waits for its key. @throws Error if that call fails */
  async free(items: readonly Emit[]): Promise<void> {
    if (this.#calls.size === 0) {
      return;
    }
    for (const name of namesOf(items)) {
      await this.#calls.get(name);
    }
  }

  /** @throws Error with QUERY_CANCELED or ORDERING_KEY_BUSY, when another transaction has a key for a second */
  async write(items: readonly Emit[]): Promise<EmitResult[]> {
    const names = namesOf(items);
    const written = this.#alone.runOne(items);
    for (const name of names) {
      this.#calls.set(name, written);
    }
    try {
      return await written;
    } finally {
      for (const name of names) {
        if (this.#calls.get(name) === written) {
          this.#calls.delete(name);
        }
      }
    }
  }
}

/** Webhooks may also have the key in the payload, or be one: then the type of the event says most. */
const namesOf = (items: readonly Emit[]): ReadonlySet<string> =>
  new Set(items.map(({ tenantId, eventType, orderingKey }) => `${tenantId} ${eventType} ${orderingKey ?? ''}`));
