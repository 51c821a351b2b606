import pg from 'pg';

/** Another session, such as an administrator's, that keeps a row locked until it is told to let go. */
export interface Locking extends AsyncDisposable {
  letGo(): Promise<void>;
}

export async function lockRow(
  databaseUrl: string,
  table: 'webhooks' | 'deliveries',
  id: number,
): Promise<Locking> {
  const session = new pg.Client(databaseUrl);
  await session.connect();
  await session.query('begin');
  await session.query(`select from hookwright.${table} where id = ${id} for update`);
  return {
    async letGo() {
      await session.query('rollback');
    },
    async [Symbol.asyncDispose]() {
      await session.end();
    },
  };
}
