import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { grantOutbox } from '../../src/operations/emits/outbox.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import type { DeliveryStack } from './delivery-stack.js';
import { eventually } from './eventually.js';

/** Another application in the same database: a login of its own, a table of its own, and the outbox door. */
export class OutboxApplication implements AsyncDisposable {
  private constructor(
    readonly role: string,
    readonly url: string,
    readonly pool: pg.Pool,
    private readonly stack: DeliveryStack,
  ) {}

  /** @param tenantIds for which it may emit */
  static async open(stack: DeliveryStack, tenantIds: number[] = [stack.tenantId]): Promise<OutboxApplication> {
    const role = `shop_${randomBytes(4).toString('hex')}`;
    const url = new URL(stack.databaseUrl);
    url.username = role;
    url.password = randomBytes(8).toString('hex');
    await stack.rows(`create role ${role} login password '${url.password}'`);
    await stack.rows(`create schema ${role}`);
    await stack.rows(`grant usage, create on schema ${role} to ${role}`);
    for (const tenantId of tenantIds) {
      await grantOutbox(stack.services.db, { role, tenantId }, commandLine);
    }
    const pool = new pg.Pool({ connectionString: url.href, max: 4 });
    await pool.query(`create table ${role}.orders (code text)`);
    return new OutboxApplication(role, url.href, pool, stack);
  }

  /** Runs `work` in a transaction of the application. */
  async transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>, begin = 'begin'): Promise<Result> {
    const client = await this.pool.connect();
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.end();
    await this.stack.rows(`drop schema ${this.role} cascade`);
    // Its sessions take their temporary tables with them a moment after they are closed.
    await eventually(async () => (await this.stack.rows(`drop role ${this.role}`)).length === 0);
  }
}

interface Refusal {
  code: string;
  message: string;
  detail: string;
  hint: string;
}

/** Postgres' error for a refused statement. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    const { code, message, detail, hint } = error as Refusal;
    return { code, message, detail, hint };
  }
  throw new Error('it was allowed');
}
