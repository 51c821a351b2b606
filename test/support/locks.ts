import pg from 'pg';

/** Another session, such as an administrator's, that keeps a row locked until it is told to let go. */
export interface Locking extends AsyncDisposable {
  letGo(): Promise<void>;
}

export const lockRow = (
  databaseUrl: string,
  table: 'webhooks' | 'deliveries',
  id: number,
): Promise<Locking> => lockRows(databaseUrl, table, `id = ${id}`);

export async function lockRows(
  databaseUrl: string,
  table: 'webhooks' | 'deliveries' | 'delivery_stats',
  where: string,
): Promise<Locking> {
  const session = new pg.Client(databaseUrl);
  await session.connect();
  await session.query('begin');
  await session.query(`select from hookwright.${table} where ${where} for update`);
  return {
    async letGo() {
      await session.query('rollback');
    },
    async [Symbol.asyncDispose]() {
      await session.end();
    },
  };
}
