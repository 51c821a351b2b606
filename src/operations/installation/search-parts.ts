import type pg from 'pg';

/** Searches for faults among rows that may be many, which read a part of these at a time (docs/decisions/0075). */

/** The least value of each type that rows are sorted by. */
const FIRST = { bigint: '0', text: '', timestamptz: '-infinity' } as const;
type Columns = Readonly<Record<string, keyof typeof FIRST>>;

/** A search for rows that should not be as they are. */
export interface Search {
  /** SQL: the table with its condition, and the columns that are read. */
  table: string;
  where: string;
  columns: string;
  /** The columns that an index sorts the rows by. */
  order: Columns;
  /** Identifies a row. */
  key: Columns;
  /** SQL condition: the row `looked` is a fault. */
  isFault: string;
  /** The column by whose time rows come into view. Those that came since the last look are looked at besides. */
  comesAt?: string;
  /** Default: `PART_ROWS`. */
  partRows?: number;
}

/** How far a search has come, as JSON. */
export interface Progress {
  /** The last row of the last part; null: the search begins again. */
  after: readonly string[] | null;
  /** The keys of faults, which are looked at again each time; at most `FOUND_MAX`. */
  found: readonly (readonly unknown[])[];
  /** Rows that came into view before were looked at then; null: unknown. */
  seen: string | null;
}

/** At 10 blocks a row. */
const PART_ROWS = 150;
const FRESH_ROWS = 1_000;
const FRESH_MINUTES = 10;
/** This many faults mean this many or more. */
export const FOUND_MAX = 50;

/** The doctor looks at all rows at once. */
const THOROUGH_ROWS = 10_000;
const THOROUGH_PARTS = 100;

const namesOf = (columns: Columns) => Object.keys(columns);
/** SQL: values of JSON. @param json an array, one for each column */
const valuesOf = (columns: Columns, json: string) =>
  Object.values(columns).map((type, index) => `(${json} ->> ${index})::${type}`);
const row = (names: readonly string[]) => `(${names.join(', ')})`;

/** SQL query: $1 is `after`, $2 `found`, $3 `seen`. */
function partSql(search: Search, partRows = search.partRows ?? PART_ROWS): string {
  const { table, where, columns, order, key, isFault, comesAt } = search;
  const rows = (condition: string) => `select ${columns} from ${table} where ${where} and ${condition}`;
  const [names, keys] = [namesOf(order), namesOf(key)];
  const start = JSON.stringify(Object.values(order).map((type) => FIRST[type]));
  const fresh = `${rows(`${comesAt} > coalesce($3::timestamptz, now() - interval '${FRESH_MINUTES} minutes')`)}
      order by ${comesAt} fetch first ${FRESH_ROWS} rows with ties`;
  return `
    with part as materialized (
      ${rows(`${row(names)} > ${row(valuesOf(order, `coalesce($1::json, '${start}')`))}`)}
      order by ${names.join(', ')} fetch first ${partRows} rows with ties),
    known as materialized (
      select one.* from json_array_elements($2::json) as found(key)
      cross join lateral (${rows(`${row(keys)} = ${row(valuesOf(key, 'found.key'))}`)} offset 0) one),
    fresh as materialized (${comesAt === undefined ? `${rows('false')} and $3::text is null` : fresh}),
    faults as (
      select * from (select * from part union select * from known union select * from fresh) looked
      where ${isFault} order by ${names.join(', ')} limit ${FOUND_MAX})
    select (select json_build_array(${names.map((name) => `${name}::text`).join(', ')}) from part
            where (select count(*) from part) >= ${partRows}
            order by ${names.map((name) => `${name} desc`).join(', ')} limit 1) as after,
           (select coalesce(json_agg(json_build_array(${keys.join(', ')}) order by ${names.join(', ')}), '[]')
            from faults) as found,
           ${comesAt === undefined ? 'null' : `(select max(${comesAt})::text from fresh)`} as seen`;
}

/** Looks at the next part. @param name of the prepared statement */
export async function searchPart(
  client: pg.ClientBase,
  name: string,
  search: Search,
  { after, found, seen }: Progress = { after: null, found: [], seen: null },
): Promise<Progress> {
  const values = [after && JSON.stringify(after), JSON.stringify(found), seen];
  const { rows } = await client.query<Progress>({ name, text: partSql(search), values });
  return { ...rows[0]!, seen: rows[0]!.seen ?? seen };
}

/** Looks at all rows, or at a million, until faults are found. */
export async function searchAll(client: pg.ClientBase, search: Search): Promise<Progress> {
  const text = partSql(search, THOROUGH_ROWS);
  let progress: Progress = { after: null, found: [], seen: null };
  for (let parts = 0; parts < THOROUGH_PARTS; parts += 1) {
    const values = [progress.after && JSON.stringify(progress.after), JSON.stringify(progress.found), null];
    const { rows } = await client.query<Progress>(text, values);
    progress = rows[0]!;
    if (progress.after === null || progress.found.length === FOUND_MAX) {
      break;
    }
  }
  return progress;
}
