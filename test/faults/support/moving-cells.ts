import { type MoveOptions, runMove } from '../../../src/operations/cells/move/move-tenant.js';
import { readConfig } from '../../../src/platform/settings/config.js';
import type { TwoCells } from '../../support/two-cells.js';

/** Moves a tenant from cell 0 to cell 1 in this process, with other times than the command's. */
export function moveHere({ cells, settings }: TwoCells, tenantId: number, options: Partial<MoveOptions> = {}) {
  const [{ url, services }, other] = cells;
  const config = readConfig({ DATABASE_URL: url, ...settings });
  return runMove({ url, pool: services.db.pool }, { url: other.url, pool: other.services.db.pool }, tenantId, {
    kind: 'MOVE',
    encryptionKeys: config.encryptionKeys ?? [],
    keepDays: 7,
    closedFor: undefined,
    rate: undefined,
    waitsForStandbys: true,
    attemptSeconds: 1,
    underWayMs: 5_000,
    signal: new AbortController().signal,
    say: () => {},
    route: async () => {},
    ...options,
  });
}

/** The marks of a tenant in both cells: null where it is open; undefined where it is not. */
export async function marksOf({ cells }: TwoCells, tenantId: number): Promise<(string | null | undefined)[]> {
  return await Promise.all(
    cells.map(async (cell) => {
      const rows = await cell.rows<{ moving: string | null }>(
        'select moving from hookwright.tenants where id = $1 and deleted_at is null',
        [tenantId],
      );
      return rows[0]?.moving;
    }),
  );
}
