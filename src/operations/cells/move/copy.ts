import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { query, type Statement } from '../../../platform/database/database.js';

/** The columns of a table, and those of its primary key. */
export interface Shape {
  columns: readonly string[];
  key: readonly string[];
}

const shapesStatement: Statement = {
  text: `
    select c.relname as name,
           array(select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
           array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
                 where i.indrelid = c.oid and i.indisprimary order by a.attnum) as key
    from pg_class c where c.relnamespace = 'hookwright'::regnamespace and c.relname = any($1::text[])`,
};

/** Reads the shapes of tables from the catalogue, so that a new column travels by itself. */
export async function readShapes(client: pg.Client, tables: readonly string[]): Promise<ReadonlyMap<string, Shape>> {
  const rows = await query<Shape & { name: string }>(client, shapesStatement, [tables]);
  return new Map(rows.map(({ name, columns, key }) => [name, { columns, key }]));
}

/** Which rows of a table are copied. */
export interface Choice {
  table: string;
  /** SQL: a condition of `t`, a row of the table. */
  where: string;
  /** SQL in place of columns. */
  set?: Readonly<Record<string, string>>;
  /** Whether rows that are there are replaced; default: they are left. */
  replaces?: boolean;
}

const list = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');

/** SQL: the rows to read. */
export function readSql({ table, where, set = {} }: Choice, { columns }: Shape): string {
  const values = columns.map((column) =>
    set[column] === undefined ? `t."${column}"` : `${set[column]} as "${column}"`,
  );
  return `select ${values.join(', ')} from hookwright.${table} t where ${where}`;
}

/** SQL: makes the table that rows come into. */
export const incomingSql = (table: string, { columns }: Shape): string => `
  create temp table if not exists incoming_${table} on commit delete rows as
    select ${list(columns)} from hookwright.${table} with no data`;

/** SQL: writes the rows that came. Row-level security refuses COPY into the table itself, for its owner too. */
export function writeSql({ table, replaces = false }: Choice, { columns, key }: Shape): string {
  const others = columns.filter((column) => !key.includes(column));
  const replaced = others.map((column) => `"${column}" = excluded."${column}"`).join(', ');
  const onConflict =
    replaces && key.length > 0 && others.length > 0 ? `(${list(key)}) do update set ${replaced}` : 'do nothing';
  return `
    insert into hookwright.${table} (${list(columns)}) select ${list(columns)} from pg_temp.incoming_${table}
    on conflict ${onConflict}`;
}

/** Counts the rows that pass, and holds them up beyond a rate. */
export class Pace {
  rows = 0;
  readonly #startedAt = performance.now();

  constructor(
    /** Rows a second; undefined: as fast as it goes. */
    readonly rate: number | undefined,
    private readonly signal: AbortSignal,
  ) {}

  get perSecond(): number {
    return Math.round(this.rows / Math.max(0.001, (performance.now() - this.#startedAt) / 1000));
  }

  stream(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        for (const byte of chunk) {
          this.rows += Number(byte === 10);
        }
        const aheadMs =
          this.rate === undefined ? 0 : (this.rows * 1000) / this.rate - (performance.now() - this.#startedAt);
        (aheadMs > 1 ? delay(aheadMs, undefined, { signal: this.signal }) : Promise.resolve()).then(
          () => done(null, chunk),
          (error: Error) => done(error),
        );
      },
    });
  }
}

/** Copies rows to the target, inside the transactions of both databases. @returns how many were new or replaced */
export async function copyRows(
  { reader, target }: { reader: pg.Client; target: pg.Client },
  shapes: ReadonlyMap<string, Shape>,
  choice: Choice,
  pace: Pace,
): Promise<number> {
  const shape = shapes.get(choice.table)!;
  const incoming = `pg_temp.incoming_${choice.table}`;
  await target.query(incomingSql(choice.table, shape));
  await target.query(`truncate ${incoming}`);
  await pipeline(
    reader.query(copyTo(`copy (${readSql(choice, shape)}) to stdout`)),
    pace.stream(),
    target.query(copyFrom(`copy ${incoming} (${list(shape.columns)}) from stdin`)),
  );
  const { rowCount } = await target.query(writeSql(choice, shape));
  return rowCount ?? 0;
}
