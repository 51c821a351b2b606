import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutbox, HookwrightError, type OutboxEmitter } from '../../packages/client/src/index.js';
import {
  compatibilityFolder,
  requireCompatibilityInstalled,
  skipsCompatibilityTests,
} from '../support/compatibility.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { OutboxApplication } from '../support/outbox-application.js';
import { openPrisma } from './prisma.js';

interface Events {
  'coupon.applied': { code: string; discount_type: string };
}

/** Runs work in a transaction: with an emitter, and with a way to write beside it. */
type Transaction = (
  work: (emitter: OutboxEmitter<Events>, write: (sql: string) => Promise<unknown>) => Promise<void>,
) => Promise<void>;

let stack: DeliveryStack;
let shop: OutboxApplication;
const open = new Map<string, Transaction>();
const belongings = new AsyncDisposableStack();

/** A transaction of a library that may not be installed. outbox-types.mts looks at its types. */
interface AnyTransaction {
  execute(query: unknown): Promise<unknown>;
  query(text: string, values?: unknown[]): Promise<unknown>;
  raw(text: string, values?: unknown[]): Promise<unknown>;
}
const load = (name: string) => import(/* @vite-ignore */ name);

const ways = ['pg', 'prisma', 'drizzle', 'typeorm', 'mikroorm', 'kysely', 'knex'];

describe.skipIf(skipsCompatibilityTests())('an emit in a transaction', () => {
  beforeAll(async () => {
    requireCompatibilityInstalled();
    stack = await DeliveryStack.open();
    belongings.use(stack);
    await stack.webhook('http://127.0.0.1:9/');
    shop = await OutboxApplication.open(stack);
    await openAll();
  });
  afterAll(async () => {
    await belongings.disposeAsync();
  });

  test.each(ways)('of %s is there after the commit, beside what was written with it', async (way) => {
    const payload = { code: `${way}-? $1 ' \\ "ü"`, discount_type: 'fixed' };
    const idempotencyKey = `${way}-committed`;
    let emitted: unknown;
    await open.get(way)!(async (emitter, write) => {
      await write(`insert into ${shop.role}.orders values ('${way}')`);
      emitted = await emitter.emit('coupon.applied', payload, { idempotencyKey });
      expect(await emitter.emit('coupon.applied', payload, { idempotencyKey })).toMatchObject({ duplicate: true });
    });
    expect(emitted).toEqual({ eventId: expect.stringMatching(/^ev_\d+$/), deliveryCount: 1, duplicate: false });
    expect(await ordersOf(way)).toBe(1);
    const id = (emitted as { eventId: string }).eventId.slice(3);
    expect(await stack.rows(`select body from hookwright.events where id = ${id}`)).toEqual([
      { body: JSON.stringify(payload) },
    ]);
  });

  test.each(ways)('of %s has all that an event may have', async (way) => {
    const previous = { code: `${way}-? $1 ' \\ "ü"`, discount_type: 'fixed' };
    const [webhook] = await stack.rows<{ id: string }>('select id from hookwright.webhooks limit 1');
    const to = [{ webhookId: `wh_${webhook!.id}` }];
    const options = { previous, to, keepHours: 2, orderingKey: 'a', schemaChecked: true, schemaVersion: 1 };
    let emitted: unknown;
    await open.get(way)!(async (emitter) => {
      emitted = await emitter.emit('coupon.applied', { code: way, discount_type: 'fixed' }, options);
    });
    const id = (emitted as { eventId: string }).eventId.slice(3);
    expect(await stack.rows(`select previous, ordering_key as key from hookwright.events where id = ${id}`)).toEqual([
      { previous: JSON.stringify(previous), key: 'a' },
    ]);
  });

  test.each(ways)('of %s is gone with a rollback', async (way) => {
    const before = await countEvents();
    const rolledBack = open.get(way)!(async (emitter, write) => {
      await write(`insert into ${shop.role}.orders values ('${way}')`);
      await emitter.emit('coupon.applied', { code: 'A', discount_type: 'fixed' });
      throw new Error('the application thinks better of it');
    });
    await expect(rolledBack).rejects.toThrow('thinks better');
    expect([await countEvents(), await ordersOf(way)]).toEqual([before, 1]);
  });

  test.each(ways)('of %s that is refused is a HookwrightError, and leaves nothing', async (way) => {
    const before = await countEvents();
    const refused: unknown = await open.get(way)!(async (emitter) => {
      await emitter.emit('coupon.applied', { code: 'A', discount_type: 'fixed' });
      await emitter.emit('coupon.applied', { code: 'A' } as never, { idempotencyKey: 'bad' });
    }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HookwrightError);
    expect(refused).toMatchObject({ code: 'payload_breaks_schema', retryable: false, idempotencyKey: 'bad' });
    expect((refused as Error).message).toMatch(/^coupon\.applied was not accepted: .*discount_type/);
    expect(await countEvents()).toBe(before);
  });

  test('of pg for another tenant, or for none, is refused with its remedy', async () => {
    const outbox = createOutbox<Events>();
    const emit = (tenant?: string | number) =>
      outbox.pg(shop.pool).emit('coupon.applied', { code: 'A', discount_type: 'fixed' }, { tenant });
    await expect(emit(stack.tenantId + 1)).rejects.toMatchObject({
      code: 'tenant_not_granted',
      message: expect.stringContaining('hookwright outbox grant'),
    });
    await expect(emit()).rejects.toMatchObject({ code: 'tenant_required' });
    expect(await emit(`tn_${stack.tenantId}`)).toMatchObject({ duplicate: false });
    await expect(
      outbox.pg({ query: () => Promise.reject(new Error('away')) }).emit('coupon.applied', {} as never, { tenant: 1 }),
    ).rejects.toThrow(/^away$/);
  });

  test('takes the transactions of the libraries by their types', async () => {
    const tsc = fileURLToPath(import.meta.resolve('typescript/package.json').replace('package.json', 'bin/tsc'));
    const compiled = promisify(execFile)(process.execPath, [tsc, '-p', join(compatibilityFolder, 'outbox-types.json')]);
    expect(await compiled.catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' });
  });
});

async function openAll(): Promise<void> {
  const { url, pool } = shop;
  const outbox = createOutbox<Events>({ tenant: stack.tenantId });
  open.set('pg', (work) => shop.transaction((client) => work(outbox.pg(client), (sql) => client.query(sql))));

  const prisma = await openPrisma(url);
  belongings.defer(() => prisma.$disconnect());
  open.set('prisma', (work) =>
    prisma.$transaction((tx) => work(outbox.prisma(tx), async (sql) => await tx.$executeRawUnsafe(sql))),
  );

  const { drizzle } = await load('drizzle-orm/node-postgres');
  const { sql } = await load('drizzle-orm');
  open.set('drizzle', (work) =>
    drizzle(pool).transaction((tx: AnyTransaction) => work(outbox.drizzle(tx, sql), (text) => tx.execute(text))),
  );

  const { DataSource } = await load('typeorm');
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  belongings.defer(() => dataSource.destroy());
  open.set('typeorm', (work) =>
    dataSource.transaction((manager: AnyTransaction) => work(outbox.typeorm(manager), (text) => manager.query(text))),
  );

  const orm = await MikroORM.init({
    clientUrl: url,
    dbName: new URL(url).pathname.slice(1),
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  belongings.defer(() => orm.close());
  open.set('mikroorm', (work) =>
    orm.em.fork().transactional((em) => work(outbox.mikroorm(em), (text) => em.execute(text))),
  );

  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
  belongings.defer(() => kysely.destroy());
  open.set('kysely', (work) =>
    kysely
      .transaction()
      .execute((trx) =>
        work(outbox.kysely(trx), async (text) => await trx.executeQuery({ sql: text, parameters: [] } as never)),
      ),
  );

  const { default: createKnex } = await load('knex');
  const knex = createKnex({ client: 'pg', connection: url });
  belongings.defer(() => knex.destroy());
  open.set('knex', (work) =>
    knex.transaction((trx: AnyTransaction) => work(outbox.knex(trx), async (text) => await trx.raw(text))),
  );
}

async function countEvents(): Promise<number> {
  return (await stack.rows<{ count: number }>('select count(*)::integer as count from hookwright.events'))[0]!.count;
}

async function ordersOf(code: string): Promise<number> {
  const sql = `select count(*)::integer as count from ${shop.role}.orders where code = $1`;
  return (await shop.pool.query<{ count: number }>(sql, [code])).rows[0]!.count;
}
