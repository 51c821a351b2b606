import pg from 'pg';
import { destroySocket } from './destroy-socket.js';

type Query = (...args: unknown[]) => Promise<unknown>;

/** Releases connections on which a transaction neither begins nor rolls back; Kysely would keep all after an outage. */
export function takeBackBrokenClients(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = async (...args: unknown[]) => {
      try {
        return await (pg.Client.prototype.query as Query).apply(client, args);
      } catch (error) {
        if ((error as Error).message === 'Query read timeout') {
          destroySocket(client); // else the roll-back would wait as long again
        }
        if (/^(begin|start transaction|rollback)\b/.test(String(args[0]))) {
          client.release(error as Error);
        }
        throw error;
      }
    };
    client.query = query as typeof client.query;
  });
}

/** Allows a second `end`, which would throw: both we and the ORM end its pool. */
export function endOnce(pool: pg.Pool): void {
  const end = pool.end.bind(pool) as () => Promise<void>;
  let ended: Promise<void> | undefined;
  pool.end = () => (ended ??= end());
}
