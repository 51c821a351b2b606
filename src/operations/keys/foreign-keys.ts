import { BoundedMap } from '../../domain/collections/bounded-map.js';
import { ApiError, tenantElsewhere } from '../../errors.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { cellOfMissing, otherCellOf, readOwnCell } from '../cells/own-cell.js';
import type { KnownKey } from './known-keys.js';

const ENTRIES_MAX = 10_000;
/** A key that was copied into this cell works within 5 s. */
const AGE_MAX_MS = 4_000;

const readMoved: Statement = {
  name: 'read_moved_key',
  text: 'select cell from hookwright.moved_keys where key_id = $1',
};

export const keyElsewhere = (cell: number): ApiError =>
  tenantElsewhere(cell, 'The API key in the header Authorization');

/**
 * Keys that are not right here, and whose number is of another cell (docs/decisions/0097), or whose tenant has moved
 * there. That cell decides about them, so the error is the same for unknown, expired and revoked ones.
 */
export class ForeignKeys {
  /** Numbers that are not in this database at all. */
  readonly #unknown = new BoundedMap<number, { atMs: number; error: ApiError }>(ENTRIES_MAX);

  constructor(
    private readonly db: HasPool,
    private readonly nowMs: () => number,
  ) {}

  /** The error for a number that was looked up a moment ago, and is not in this database. */
  known(id: number): ApiError | null {
    const known = this.#unknown.get(id);
    return known !== undefined && this.nowMs() - known.atMs < AGE_MAX_MS ? known.error : null;
  }

  /**
   * @param there the key with this number in this database: a copy, or that of a tenant
   * @returns unauthenticated, where this cell decides about the key, or there are none; else tenant_elsewhere
   */
  async errorFor(id: number, there: KnownKey | null): Promise<ApiError> {
    const atMs = this.nowMs();
    const cell = await this.#cellOf(id, there);
    if (cell === null) {
      const unknown = 'The API key in the header Authorization is unknown, expired or revoked.';
      return new ApiError('unauthenticated', unknown);
    }
    const error = keyElsewhere(cell);
    if (there === null) {
      this.#unknown.renew(id, { atMs, error });
    }
    return error;
  }

  async #cellOf(id: number, there: KnownKey | null): Promise<number | null> {
    const own = await readOwnCell(this.db.pool);
    if (own === null) {
      return null;
    }
    const tenantId = there?.caller.tenantId ?? null;
    return tenantId === null
      ? ((await this.#movedTo(id)) ?? otherCellOf(id, own))
      : await cellOfMissing(this.db.pool, tenantId);
  }

  async #movedTo(id: number): Promise<number | null> {
    return (await query<{ cell: number }>(this.db.pool, readMoved, [id]))[0]?.cell ?? null;
  }
}
