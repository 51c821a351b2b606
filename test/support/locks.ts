import pg from 'pg';

/** Another session, such as an administrator's, that has a transaction open until it is ended. */
export interface Locking extends AsyncDisposable {
  session: pg.Client;
  /** Rolls back. */
  letGo(): Promise<void>;
  commit(): Promise<void>;
}

export async function openTransaction(databaseUrl: string, ...statements: string[]): Promise<Locking> {
  const session = new pg.Client(databaseUrl);
  await session.connect();
  for (const statement of ['begin', ...statements]) {
    await session.query(statement);
  }
  const end = async (how: 'commit' | 'rollback') => {
    await session.query(how);
  };
  return {
    session,
    letGo: () => end('rollback'),
    commit: () => end('commit'),
    [Symbol.asyncDispose]: () => session.end(),
  };
}

export const lockRow = (
  databaseUrl: string,
  table: 'webhooks' | 'deliveries',
  id: number,
  mode?: 'update' | 'share',
): Promise<Locking> => lockRows(databaseUrl, `hookwright.${table}`, `id = ${id}`, mode);

export const lockRows = (
  databaseUrl: string,
  table: `hookwright.${string}` | `hookwright_jobs.${string}`,
  where: string,
  mode: 'update' | 'share' = 'update',
): Promise<Locking> => openTransaction(databaseUrl, `select from ${table} where ${where} for ${mode}`);
