import pg from 'pg';

/** Another session, such as an administrator's, that keeps a row locked until it is told to let go. */
export interface Locking extends AsyncDisposable {
  letGo(): Promise<void>;
}

export const lockRow = (
  databaseUrl: string,
  table: 'webhooks' | 'deliveries',
  id: number,
  mode?: 'update' | 'share',
): Promise<Locking> => lockRows(databaseUrl, `hookwright.${table}`, `id = ${id}`, mode);

export async function lockRows(
  databaseUrl: string,
  table: `hookwright.${string}` | `hookwright_jobs.${string}`,
  where: string,
  mode: 'update' | 'share' = 'update',
): Promise<Locking> {
  const session = new pg.Client(databaseUrl);
  await session.connect();
  await session.query('begin');
  await session.query(`select from ${table} where ${where} for ${mode}`);
  return {
    async letGo() {
      await session.query('rollback');
    },
    async [Symbol.asyncDispose]() {
      await session.end();
    },
  };
}
