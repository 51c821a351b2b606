import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { CONNECTION_LOST, openConnection } from './connections.js';

/** A sweep opens the tenant again after a minute without. */
const EVERY_MS = 5_000;

const lockStatement: Statement = {
  text: `
    select pg_try_advisory_lock(hashtextextended('hookwright.move.' || $1, 0)) as locked`,
};

const holderStatement: Statement = {
  text: `
    select l.pid from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('hookwright.move.' || $1, 0)`,
};

const beatStatement: Statement = {
  text: `update hookwright.tenant_moves set changed_at = clock_timestamp() where token = $1`,
};

/** Shows, over a connection of its own, that a mover is at work. No other one is, since it has a lock there. */
export class Heartbeat implements AsyncDisposable {
  /** The token of the move whose row is renewed; undefined: there is none yet. */
  token: string | undefined;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;

  private constructor(private readonly client: pg.Client) {
    client.on('end', () => this.#end(CONNECTION_LOST));
    this.#timer = setInterval(() => void this.#beat(), EVERY_MS);
  }

  /** @throws Error when another mover has the tenant */
  static async begin(sourceUrl: string, tenantId: number): Promise<Heartbeat> {
    const client = await openConnection(sourceUrl);
    try {
      const [row] = await query<{ locked: boolean }>(client, lockStatement, [String(tenantId)]);
      if (row!.locked) {
        return new Heartbeat(client);
      }
      const [holder] = await query<{ pid: number }>(client, holderStatement, [String(tenantId)]);
      const which = holder === undefined ? '' : ` (the session ${holder.pid} of Postgres)`;
      throw new Error(`Another command moves tenant ${tenantId}${which}. Wait for it, or end it with Ctrl-C.`);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Aborted when the connection is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  async #beat(): Promise<void> {
    if (this.token !== undefined) {
      await query(this.client, beatStatement, [this.token]).catch((error: Error) => this.#end(error));
    }
  }

  #end(error: Error): void {
    clearInterval(this.#timer);
    this.#lost.abort(error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.client.removeAllListeners('end');
    await this.client.end();
  }
}
