import pg from 'pg';
import { migrate } from '../../src/operations/installation/migrate.js';
import { SUPERUSER } from '../../src/platform/embedded-postgres/cluster.js';
import { startTemporaryPostgres } from './temporary-postgres.js';

/** A durable Postgres that no other test uses, migrated, with its administrator. */
export interface OwnPostgres extends AsyncDisposable {
  /** For the service's own login. */
  url: string;
  /** What an administrator does to the whole server. */
  administrate<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
}

export async function openOwnPostgres(): Promise<OwnPostgres> {
  const { url, close } = await startTemporaryPostgres({ durable: true });
  const administrator = new pg.Client({ connectionString: Object.assign(new URL(url), { username: SUPERUSER }).href });
  await administrator.connect();
  await migrate(url);
  return {
    url,
    administrate: async <Row extends pg.QueryResultRow>(sql: string) => (await administrator.query<Row>(sql)).rows,
    async [Symbol.asyncDispose]() {
      await administrator.end();
      await close();
    },
  };
}
