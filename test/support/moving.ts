import { onServer } from './on-server.js';

/** Tenants that move to another cell, as the command that moves them writes it (docs/decisions/0099). */

type State = 'COPYING' | 'DRAINING' | 'CLOSED' | 'COMMITTING' | 'OPEN';

/** Marks a tenant. @param mark null: it lives here */
export const markMoving = (url: string, tenantId: number, mark: 'DRAINING' | 'CLOSED' | 'GONE' | null): Promise<void> =>
  onServer(url, (client) => client.query('select hookwright.set_moving($1, $2)', [tenantId, mark]));

/** Writes the row of a move to cell 1. @param silentSeconds since the mover has renewed it */
export const writeMove = (url: string, tenantId: number, state: State, silentSeconds = 0): Promise<void> =>
  onServer(url, (client) =>
    client.query(
      `insert into hookwright.tenant_moves (token, tenant_id, direction, cell, state, changed_at, state_since)
       values (gen_random_uuid(), $1, 'OUT', 1, $2, now() - $3 * interval '1 second', now() - $3 * interval '1 second')`,
      [tenantId, state, silentSeconds],
    ),
  );

/** The tenant lives in cell 1 from now on. @param most how many rows a call leaves behind @returns what each call did */
export async function moveAway(url: string, tenantId: number, most = 5_000): Promise<number[]> {
  const done: number[] = [];
  await writeMove(url, tenantId, 'OPEN');
  await onServer(url, async (client) => {
    do {
      const { rows } = await client.query('select hookwright.leave_tenant($1, $2) as done', [tenantId, most]);
      done.push(rows[0].done);
    } while (done.at(-1)! > 0);
  });
  return done;
}
