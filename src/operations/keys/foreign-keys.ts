import { BoundedMap } from '../../domain/collections/bounded-map.js';
import { type ApiError, tenantElsewhere } from '../../errors.js';
import type { HasPool } from '../../platform/database/database.js';
import { otherCellOf, readOwnCell } from '../cells/own-cell.js';

const ENTRIES_MAX = 10_000;
/** A key that was copied into this cell works within 5 s. */
const AGE_MAX_MS = 4_000;

/**
 * Keys whose number is of another cell, and that are not right here (docs/decisions/0097). Their own cell decides about
 * them, so the error is the same for unknown, expired and revoked ones.
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
   * @param isThere a key with this number was copied here
   * @returns null: the number is of this cell, or there are none
   */
  async errorFor(id: number, isThere: boolean): Promise<ApiError | null> {
    const atMs = this.nowMs();
    const cell = otherCellOf(id, await readOwnCell(this.db.pool));
    if (cell === null) {
      return null;
    }
    const error = tenantElsewhere(cell, 'The API key in the header Authorization');
    if (!isThere) {
      this.#unknown.renew(id, { atMs, error });
    }
    return error;
  }
}
