import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Services } from '../../src/api/context/context.js';
import type { DashboardOptions } from '../../src/api/dashboard/dashboard.js';
import { buildServer } from '../../src/api/server.js';
import { openPool } from '../../src/platform/database/database.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { createTestDatabase } from './database.js';
import { openTestServices } from './factories.js';
import { watchPlaintext } from './plaintext.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

export interface ServedOptions {
  settings?: Record<string, string> | undefined;
  clock?: (() => Date) | undefined;
  now?: (() => number) | undefined;
  dashboard?: DashboardOptions;
  /** Puts something into the database, with the rights of its owner, before the service starts. */
  fill?: ((services: Services) => Promise<unknown>) | undefined;
}

/** The whole server, with the rights that it has in earnest, over a database of its own. */
export async function openServed({ settings, clock, now, dashboard, fill }: ServedOptions) {
  const { url: databaseUrl, drop } = await createTestDatabase();
  if (fill !== undefined) {
    const own = await openTestServices(databaseUrl, { settings });
    await fill(own).finally(() => own.db.close());
  }
  const services = await openTestServices(databaseUrl, { settings, clock, now, role: API_ROLE });
  const server = await buildServer(services, dashboard);
  return { databaseUrl, services, server, owner: openPool(databaseUrl, 2, () => {}), drop };
}

export abstract class ServedApi implements AsyncDisposable {
  readonly databaseUrl: string;
  readonly services: Services;
  readonly server: FastifyInstance;
  /** Past the API's role: sees and changes what it wants. */
  readonly owner: pg.Pool;
  readonly #drop: () => Promise<void>;

  constructor({ databaseUrl, services, server, owner, drop }: Awaited<ReturnType<typeof openServed>>) {
    this.databaseUrl = databaseUrl;
    this.services = services;
    this.server = server;
    this.owner = owner;
    this.#drop = drop;
  }

  async close(): Promise<void> {
    this.server.server.closeAllConnections();
    await this.server.close();
    await Promise.all([this.services.db.close(), this.owner.end()]);
    await this.#drop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Asks over HTTP, in a request of its own. */
export async function postGraphql(
  origin: string,
  key: string,
  body: { query: string; variables?: object },
  headers: Record<string, string> = {},
): Promise<{ status: number; data: Json; errors: Json[] }> {
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
  const { data, errors = [] } = (await response.json()) as { data: Json; errors?: Json[] };
  watchPlaintext('errors of GraphQL', JSON.stringify(errors));
  return { status: response.status, data, errors };
}
