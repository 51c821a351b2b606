import type pg from 'pg';
import { choicesOfClosed } from '../../src/operations/cells/move/arrive.js';
import {
  type Choice,
  incomingSql,
  readShapes,
  readSql,
  type Shape,
  writeSql,
} from '../../src/operations/cells/move/copy.js';
import { attemptsOf, choicesOfDay, endOfChunkSql, foreignKeys } from '../../src/operations/cells/move/precopy.js';
import { changedOf, ENDED, MOVED_TABLES } from '../../src/operations/cells/move/tables.js';

const BEFORE = `timestamptz '2026-01-01'`;

/**
 * The statements that a mover puts together, in each of their forms.
 *
 * @param client where the tables are made that rows come into, so that statements which name them can be prepared
 */
export async function moveStatements(client: pg.Client | pg.PoolClient): Promise<string[]> {
  const shapes = await readShapes(client as pg.Client, Object.keys(MOVED_TABLES));
  const day = choicesOfDay({ low: 1, high: 2 }, BEFORE);
  const ended = Object.entries(ENDED).map(([table, where]): Choice => ({ table, where: where(BEFORE) }));
  const choices = [
    ...choicesOfClosed({ tenantId: 1, copiedBefore: '2026-01-01' }, [1]),
    ...[day.deliveries, ...day.rest, ...ended].map((choice) => ({ ...choice, set: changedOf(choice.table) })),
    attemptsOf('t.id = 1', day.attempts),
    foreignKeys(1),
  ];
  const shapeOf = ({ table }: Choice): Shape => shapes.get(table)!;
  for (const table of new Set(choices.map((choice) => choice.table))) {
    await client.query(incomingSql(table, shapes.get(table)!).replace('on commit delete rows', ''));
  }
  return [
    ...choices.flatMap((choice) => [
      readSql(choice, shapeOf(choice)),
      ...[true, false].map((replaces) => writeSql({ ...choice, replaces }, shapeOf(choice))),
    ]),
    endOfChunkSql('events', 'true', 'id'),
  ];
}
