// Compiled by outbox.test.ts: each library's transaction is one that the outbox takes.
import type { EntityManager as MikroManager } from '@mikro-orm/postgresql';
import type { Types } from '@prisma/client/runtime/client';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type { Knex } from 'knex';
import type { Transaction } from 'kysely';
import type { ClientBase, Pool, PoolClient } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { createClient, createOutbox } from '../../packages/client/src/index.js';

export interface Events {
  'booking.created': { booking_code: string };
  'webhook.test': { message: string };
}

const outbox = createOutbox<Events>({ tenant: 1 });

declare const pgClient: ClientBase & PoolClient;
declare const pool: Pool;
outbox.pg(pgClient);
outbox.pg(pool);

/** As `prisma generate` declares it. */
declare const prisma: {
  // biome-ignore lint/suspicious/noExplicitAny: theirs
  $queryRawUnsafe<T = unknown>(query: string, ...values: any[]): Types.Public.PrismaPromise<T>;
};
outbox.prisma(prisma);

declare const nodePg: Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];
declare const postgresJs: Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0];
outbox.drizzle(nodePg, sql);
outbox.drizzle(postgresJs, sql);

declare const manager: EntityManager;
declare const runner: QueryRunner;
outbox.typeorm(manager);
outbox.typeorm(runner);

declare const em: MikroManager;
outbox.mikroorm(em);

declare const trx: Transaction<{ bookings: { code: string } }>;
outbox.kysely(trx);

declare const knex: Knex.Transaction;
const emitter = outbox.knex(knex);

const client = createClient<Events>({ url: 'https://hooks.example.com', key: 'hw_1_x' });
for (const { emit } of [emitter, client]) {
  void emit('booking.created', { booking_code: 'A' }, { idempotencyKey: 'k', tenant: 'tn_1' });
  // @ts-expect-error a field is missing
  void emit('booking.created', {});
  // @ts-expect-error a field of another type
  void emit('booking.created', { booking_code: 1 });
  // @ts-expect-error no such type
  void emit('booking.made', { booking_code: 'A' });
  // @ts-expect-error only the service itself emits it
  void emit('webhook.test', { message: 'A' });
}
void client.emitMany([{ event: 'booking.created', payload: { booking_code: 'A' } }]);
// @ts-expect-error a field is missing
void client.emitMany([{ event: 'booking.created', payload: {} }]);
void createClient({ url: '', key: '' }).emit('any.type', { any: 'thing' });
