import type pg from 'pg';
import { poolOptions, query, type Statement } from '../../../platform/database/database.js';
import { PrimaryClient } from '../../../platform/database/driver/primary-client.js';

const MOVER_NAME = 'hookwright mover';

/** A mover that has lost its network leaves a transaction, which keeps `--resume` waiting. */
const IDLE_IN_TRANSACTION_MS = 120_000;

/** A connection whose statements may take long, with the owner's rights. */
export async function openConnection(url: string): Promise<pg.Client> {
  const { query_timeout: _, ...options } = poolOptions(url, 1);
  const client = new PrimaryClient({
    ...options,
    statement_timeout: 0,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    application_name: MOVER_NAME,
  });
  client.on('error', () => {}); // the next statement shows it
  await client.connect();
  return client;
}

/** Why a mover ends whose connection to the source has ended. */
export const CONNECTION_LOST = new Error('The connection to this cell is lost.');

/** Whether a connection has ended. */
export const isLost = async (client: pg.Client): Promise<boolean> =>
  await client.query('select').then(
    () => false,
    () => true,
  );

/** The connections of a mover. Of the source it reads over one of them, in a snapshot, and changes it over another. */
export class Ends implements AsyncDisposable {
  private constructor(
    readonly sourceUrl: string,
    readonly targetUrl: string,
    readonly source: pg.Client,
    readonly reader: pg.Client,
    readonly target: pg.Client,
  ) {}

  static async open(sourceUrl: string, targetUrl: string): Promise<Ends> {
    const [source, reader, target] = await Promise.all([
      openConnection(sourceUrl),
      openConnection(sourceUrl),
      openConnection(targetUrl),
    ]);
    await raiseEventsOfEntries(target, false);
    return new Ends(sourceUrl, targetUrl, source, reader, target);
  }

  /**
   * Runs work that copies. When it fails, or by the signal, its connections end, also where the other cell or the
   * network does not answer: what it has not committed is rolled back then. The one that opens the tenant stays.
   */
  async copying<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const cut = () => {
      for (const client of [this.reader, this.target]) {
        void client.end().catch(() => {});
      }
    };
    signal.addEventListener('abort', cut);
    try {
      signal.throwIfAborted();
      return await work();
    } catch (error) {
      cut(); // a reader whose rows nobody takes answers nothing any more
      throw error;
    } finally {
      signal.removeEventListener('abort', cut);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.source.end(), this.reader.end(), this.target.end()]);
  }
}

const quietStatement: Statement = { text: `select set_config('app.brings_tenant', $1, false)` };

/** Sets whether new entries of the audit log raise events: those of what has happened in another cell do not. */
export async function raiseEventsOfEntries(target: pg.Client, raises: boolean): Promise<void> {
  await query(target, quietStatement, [String(!raises)]);
}

/** Runs `work` in a transaction. @param kind such as `isolation level repeatable read` */
export async function inTransaction<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
  kind = '',
): Promise<Result> {
  await client.query(`begin ${kind}`);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {}); // with its connection it is rolled back anyway
    throw error;
  }
}
