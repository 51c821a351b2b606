import pg from 'pg';
import type { BenchDatabase } from '../database.js';
import type { Installation } from '../installation.js';

/** A statement that Postgres has run, with its text as it counts it: constants are `$1`. */
export interface Statement {
  id: string;
  text: string;
  calls: number;
  rows: number;
  /** Blocks of 8 KiB that were read or found in memory. */
  blocks: number;
  execMs: number;
}

/** In the bench's own statements: they are not counted. */
export const OWN = '/* bench */';

/**
 * The installation's database on a server that counts statements, by the extension pg_stat_statements. The built-in one
 * is restarted with it.
 *
 * @throws Error with what to do where the server does not count
 */
export async function countingDatabase(installation: Installation): Promise<BenchDatabase> {
  let database = await installation.database();
  if (installation.isBuiltIn) {
    await asSuperuser(database, `alter system set shared_preload_libraries = 'pg_stat_statements'`);
    database = await installation.reopenDatabase();
    await asSuperuser(database, 'create extension if not exists pg_stat_statements');
    await asSuperuser(database, 'grant pg_read_all_stats to hookwright');
  }
  try {
    await readStatements(database);
  } catch (cause) {
    throw new Error(
      "This server counts no statements. Set shared_preload_libraries = 'pg_stat_statements', restart it, and in the " +
        "database run: create extension pg_stat_statements; grant pg_read_all_stats to the service's role.",
      { cause },
    );
  }
  return database;
}

/** The built-in server's superuser has the password of the service's role. */
async function asSuperuser({ url }: BenchDatabase, text: string): Promise<void> {
  const superuser = new URL(url);
  superuser.username = 'postgres';
  const client = new pg.Client(superuser.href);
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** All statements of the database so far, by their ids. */
async function readStatements({ pool }: BenchDatabase): Promise<Map<string, Statement>> {
  const { rows } = await pool.query<Statement>(`
    select ${OWN} queryid::text as id, min(query) as text, sum(calls)::float8 as calls, sum(rows)::float8 as rows,
           sum(shared_blks_hit + shared_blks_read + local_blks_hit + local_blks_read)::float8 as blocks,
           sum(total_exec_time) as "execMs"
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
    where d.datname = current_database() and s.toplevel and query not like '%${OWN}%' group by queryid`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What was run meanwhile. */
export async function statementsDuring(database: BenchDatabase, work: () => Promise<unknown>): Promise<Statement[]> {
  const before = await readStatements(database);
  await work();
  const after = await readStatements(database);
  return [...after.values()].flatMap((now) => {
    const then = before.get(now.id);
    const calls = now.calls - (then?.calls ?? 0);
    return calls <= 0
      ? []
      : [
          {
            ...now,
            calls,
            rows: now.rows - (then?.rows ?? 0),
            blocks: now.blocks - (then?.blocks ?? 0),
            execMs: now.execMs - (then?.execMs ?? 0),
          },
        ];
  });
}

/** A statement and the same of another installation, if that has run it. */
export interface Pair {
  large: Statement;
  small: Statement | undefined;
}

export function pairsOf(large: readonly Statement[], small: readonly Statement[]): Pair[] {
  const others = new Map(small.map((one) => [one.id, one]));
  return large.map((one) => ({ large: one, small: others.get(one.id) ?? small.find(({ text }) => text === one.text) }));
}

const LABEL_CHARS = 90;
const FROM_CHARS = 50;

/** The beginning of a statement, and of its first `from` where that comes later. */
export function labelOf({ text }: Pick<Statement, 'text'>): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= LABEL_CHARS) {
    return line;
  }
  const from = /\bfrom "?hookwright\S* .*/.exec(line.slice(LABEL_CHARS))?.[0].slice(0, FROM_CHARS);
  return `${line.slice(0, LABEL_CHARS)}…${from === undefined ? '' : ` ${from}…`}`;
}

/** A row of the report: calls, blocks, rows and milliseconds of a call, those of the small installation beside them. */
export function lineOf({ large, small }: Pair): string {
  const each = (one: Statement | undefined) =>
    one === undefined
      ? '– | – | –'
      : [one.blocks, one.rows, one.execMs].map((sum) => figure(sum / one.calls)).join(' | ');
  return `| ${large.calls} | ${each(large)} | ${each(small)} | \`${labelOf(large).replaceAll('|', '\\|').replaceAll('`', "'")}\` |`;
}

export const lineHeads = [
  '| calls | blocks a call | rows | ms | small: blocks | rows | ms | statement |',
  '|---|---|---|---|---|---|---|---|',
];

const figure = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value >= 10 ? 0 : 1 });
