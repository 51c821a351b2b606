import type pg from 'pg';
import { edition } from '../../../migrations/edition.js';
import { lastStep } from '../../../migrations/last-step.js';
import { nextIdSql } from '../cells/next-id.js';
import { readOwnCell } from '../cells/own-cell.js';
import { judgeEdition } from './check-readiness.js';
import { inPatientTransaction } from './lock-patience.js';

/**
 * The second and the third step of a migration (docs/decisions/0071): all functions in one transaction; then triggers,
 * and changes of rows that call functions. It leaves the functions of a newer version as they are.
 */
export async function installFunctions(client: pg.Client): Promise<void> {
  const { number, functions, functionsDigest, lastStepDigest } = edition();
  if ((await judgeEdition({ pool: client })) === 'OLDER') {
    await inPatientTransaction(client, async () => {
      await client.query(functions);
      const cell = await readOwnCell(client);
      if (cell !== null) {
        await client.query(nextIdSql(cell)); // at once: between two commits ids would be like those of another cell
      }
      await client.query(
        `insert into hookwright.edition (number, functions) values ($1, $2)
         on conflict (only_row) do update set number = excluded.number, functions = excluded.functions`,
        [number, functionsDigest],
      );
    });
  }
  if ((await judgeEdition({ pool: client })) === 'UNFINISHED') {
    for (const statement of lastStep) {
      await inPatientTransaction(client, () => client.query(statement));
    }
    await client.query('update hookwright.edition set last_step = $1', [lastStepDigest]);
  }
}
