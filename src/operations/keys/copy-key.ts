import { cellOf } from '../../domain/ids/cell.js';
import { type HasPool, query, type Statement, transaction } from '../../platform/database/database.js';
import { thisProgram } from '../../platform/node/this-program.js';
import { type OwnCell, readOwnCell } from '../cells/own-cell.js';
import { about, auditBySql, commandLine } from '../rows/audit.js';

/** The row of a platform key, with times as Postgres writes them. */
interface KeyRow {
  tenantId: number | null;
  isSession: boolean;
  name: string;
  hash: Buffer;
  scopes: string[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

const readStatement: Statement = {
  text: `
    select tenant_id as "tenantId", console_session or made_in is not null as "isSession", name, hash, scopes,
           created_at::text as "createdAt", expires_at::text as "expiresAt", revoked_at::text as "revokedAt"
    from hookwright.api_keys where id = $1 and portal_id is null`,
};

/** A key that is there keeps its hash, and is never valid again. */
const writeStatement: Statement = {
  text: `
    insert into hookwright.api_keys as k (id, name, hash, scopes, created_at, expires_at, revoked_at)
    values ($1, $2, $3, $4::text[], $5::timestamptz, $6::timestamptz, $7::timestamptz)
    on conflict (id) do update set revoked_at = coalesce(k.revoked_at, excluded.revoked_at)
    where k.tenant_id is null and k.hash = excluded.hash
    returning xmax = 0 as "isNew", k.revoked_at is not null as "isRevokedThere"`,
};

interface Copied {
  name: string;
  to: number;
  isNew: boolean;
  isRevokedHere: boolean;
  isRevokedThere: boolean;
}

/**
 * Writes the row of a platform key into another cell, whose processes admit it within 5 s. It only reads the one
 * database and is one transaction of the other, so it may be run again after any end. Then it carries a revocation
 * over.
 *
 * @throws Error with a sentence for a key of another kind, a database that is not another cell, or another key there
 */
export async function copyKey(from: HasPool, to: HasPool, id: number): Promise<Copied> {
  const target = requireOther(await readOwnCell(from.pool), await readOwnCell(to.pool));
  const [key] = await query<KeyRow>(from.pool, readStatement, [id]);
  if (key === undefined || key.tenantId !== null) {
    throw new Error(`There is no platform key ${id} (${thisProgram} key list --platform shows them).`);
  }
  if (key.isSession) {
    throw new Error(
      `Key ${id} ends with a session of the console, which the other cell has not. Make one here instead.`,
    );
  }
  if (cellOf(id) === target.number) {
    throw new Error(`Key ${id} was made in cell ${target.number}: copy it from there.`);
  }
  const { name, hash, scopes, createdAt, expiresAt, revokedAt } = key;
  const written = await transaction(to.pool, async (client) => {
    const values = [id, name, hash, scopes, createdAt, expiresAt, revokedAt];
    const [written] = await query<Pick<Copied, 'isNew' | 'isRevokedThere'>>(client, writeStatement, values);
    if (written?.isNew) {
      const change = { action: 'API_KEY_CREATED', after: { name, scopes, copiedFromCell: cellOf(id) } } as const;
      await auditBySql(client, commandLine, { ...about('API_KEY', null, id), ...change });
    }
    return written;
  });
  if (written === undefined) {
    throw new Error(`Cell ${target.number} has another key ${id}: the two databases are not cells of one address.`);
  }
  return { name, to: target.number, ...written, isRevokedHere: revokedAt !== null };
}

function requireOther(own: OwnCell | null, other: OwnCell | null): OwnCell {
  if (own === null || other === null) {
    const which = own === null ? 'This database' : 'The other database';
    throw new Error(`${which} is no cell. Keys are copied among the cells behind one address: docs/cells.md.`);
  }
  if (own.number === other.number) {
    throw new Error(`Both databases are cell ${own.number}. The file has to name the database of another cell.`);
  }
  return other;
}
