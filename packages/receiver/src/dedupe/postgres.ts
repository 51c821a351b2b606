import { type Dedupe, DONE_DAYS, RUNNING_SECONDS, type StoreOptions } from './dedupe.js';

/** A pool of `pg`, or anything else that takes `$1` and gives rows. */
export interface PostgresPool {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The table: `npx @hookwright/receiver sql` prints it. */
export const POSTGRES_SQL = `create table if not exists hookwright_deliveries (
  source text not null,
  id text not null,
  done boolean not null,
  until timestamptz not null,
  primary key (source, id)
);
create index if not exists hookwright_deliveries_until on hookwright_deliveries (until);
`;

/** Takes the place of an entry whose time is over, too. One statement, so it is atomic. */
const BEGIN = `insert into hookwright_deliveries as d (source, id, done, until)
values ($1, $2, false, clock_timestamp() + make_interval(secs => ${RUNNING_SECONDS}))
on conflict (source, id) do update set done = false, until = excluded.until where d.until <= clock_timestamp()
returning id`;
const STATE = 'select done from hookwright_deliveries where source = $1 and id = $2';
const DONE = `insert into hookwright_deliveries (source, id, done, until)
values ($1, $2, true, clock_timestamp() + make_interval(days => ${DONE_DAYS}))
on conflict (source, id) do update set done = true, until = excluded.until`;
const FORGET = 'delete from hookwright_deliveries where source = $1 and id = $2';
const EXPIRE = 'delete from hookwright_deliveries where source = $1 and until <= clock_timestamp()';

const EXPIRE_EVERY_MS = 3_600_000;

/** Remembers deliveries in a table that `npx @hookwright/receiver sql | psql` makes. */
export function postgres(pool: PostgresPool, { source = '' }: StoreOptions = {}): Dedupe {
  let expireAt = 0;
  return {
    async begin(id) {
      const { rows } = await pool.query(BEGIN, [source, id]);
      if (rows.length > 0) {
        return 'new';
      }
      const [row] = (await pool.query(STATE, [source, id])).rows as { done: boolean }[];
      // Without a row the other copy has just been forgotten: the next look begins.
      return row?.done ? 'done' : 'running';
    },
    async done(id) {
      await pool.query(DONE, [source, id]);
      if (Date.now() >= expireAt) {
        expireAt = Date.now() + EXPIRE_EVERY_MS;
        await pool.query(EXPIRE, [source]);
      }
    },
    async forget(id) {
      await pool.query(FORGET, [source, id]);
    },
  };
}
