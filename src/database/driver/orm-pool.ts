import pg from 'pg';

type Query = (...args: unknown[]) => Promise<unknown>;

/**
 * The ORM's query builder keeps a connection for good when a transaction on it can neither begin nor roll back. A
 * database that is away for a moment would leave none, so such a connection is taken back here.
 */
export function takeBackBrokenClients(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = async (...args: unknown[]) => {
      try {
        return await (pg.Client.prototype.query as Query).apply(client, args);
      } catch (error) {
        if (/^(begin|start transaction|rollback)\b/.test(String(args[0]))) {
          client.release(error as Error);
        }
        throw error;
      }
    };
    client.query = query as typeof client.query;
  });
}

/** Both we and the ORM end its pool, which throws at the second time by itself. */
export function endOnce(pool: pg.Pool): void {
  const end = pool.end.bind(pool) as () => Promise<void>;
  let ended: Promise<void> | undefined;
  pool.end = () => (ended ??= end());
}
