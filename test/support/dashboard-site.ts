import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Services } from '../../src/context/context.js';
import type { OneTimeCode } from '../../src/dashboard/one-time-code.js';
import { openPool } from '../../src/database/database.js';
import { API_ROLE } from '../../src/database/tenant-database.js';
import { buildServer } from '../../src/server.js';
import { createTestDatabase } from './database.js';
import { openTestServices } from './factories.js';
import { serve } from './loopback.js';
import { watchPlaintext } from './plaintext.js';
import { temporaryFolder } from './temporary-folder.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

interface SiteOptions {
  settings?: Record<string, string>;
  startCode?: OneTimeCode | null;
  /** Default: one with a page of each kind. */
  folder?: string;
  now?: () => number;
  /** Default: any free one. */
  port?: number;
  /** Puts something into the database, with the rights of its owner, before the service starts. */
  fill?: (services: Services) => Promise<unknown>;
}

/** Pages as a build would leave them. */
export const builtPages = {
  'portal.html': '<!doctype html><title>portal</title>',
  'console.html': '<!doctype html><title>console</title>',
  'embed.js': 'globalThis.embed = true;',
  'assets/portal-4f2a.js': 'console.log("portal");',
};

function buildPages(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'assets'));
  for (const [file, text] of Object.entries(builtPages)) {
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, 'assets/portal-4f2a.js.br'), brotliCompressSync(builtPages['assets/portal-4f2a.js']));
  return folder;
}

/** The API with the dashboard over it, on a real socket, with a database of its own. */
export class DashboardSite implements AsyncDisposable {
  private constructor(
    readonly services: Services,
    readonly origin: string,
    /** Past the API's role: sees and changes what it wants. */
    readonly owner: pg.Pool,
    private readonly server: FastifyInstance,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async open(options: SiteOptions = {}): Promise<DashboardSite> {
    const { startCode = null, folder = buildPages(), now, fill } = options;
    const settings = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`, ...options.settings };
    const { url, drop } = await createTestDatabase();
    if (fill !== undefined) {
      const own = await openTestServices(url, { settings });
      await fill(own).finally(() => own.db.close());
    }
    const services = await openTestServices(url, { settings, now, role: API_ROLE });
    const server = await buildServer(services, { startCode, folder });
    const origin = `http://127.0.0.1:${await serve(server, options.port)}`;
    const owner = openPool(url, 2, () => {});
    return new DashboardSite(services, origin, owner, server, drop);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.origin + path, { headers, redirect: 'manual' });
  }

  /** Sends a code, as the pages do. */
  async send(path: string, body: unknown): Promise<{ status: number; headers: Headers; body: Json }> {
    const response = await fetch(this.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async ask(
    query: string,
    variables: Record<string, unknown>,
    key: string,
    tenant?: number,
  ): Promise<{ status: number; data: Json; errors: Json[] }> {
    const response = await fetch(`${this.origin}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...(tenant === undefined ? {} : { 'hookwright-tenant': String(tenant) }),
      },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors = [] } = (await response.json()) as { data: Json; errors?: Json[] };
    watchPlaintext('errors of GraphQL', JSON.stringify(errors));
    return { status: response.status, data, errors };
  }

  /** Makes a portal session by GraphQL. */
  async session(key: string, input: Record<string, unknown> = {}): Promise<MadeSession> {
    const { data, errors } = await this.ask(
      `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url session {
         id databaseId capabilities status createdAt expiresAt revokedAt exchangedAt lastUsedAt parentOrigins locale
         theme returnUrl } } }`,
      { input: { capabilities: ['VIEW'], ...input } },
      key,
    );
    if (errors.length > 0) {
      throw new Error(errors.map(({ message }) => message).join('\n'));
    }
    const { url, session } = data.createPortalSession;
    const [, path = '', code = ''] = /^https?:\/\/[^/]+(\/portal\/s\/[\w-]{22})#([\w-]{43})$/.exec(url) ?? [];
    return { url, path, code, session };
  }

  /** Makes a portal session and exchanges its code. @returns its key */
  async openSession(key: string, input: Record<string, unknown> = {}): Promise<string> {
    const { path, code } = await this.session(key, input);
    return (await this.send(path, { code })).body.token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.server.closeAllConnections();
    await this.server.close();
    await Promise.all([this.services.db.close(), this.owner.end()]);
    await this.dropDatabase();
  }
}

interface MadeSession {
  url: string;
  /** The path of its page and of the exchange of its code. */
  path: string;
  code: string;
  session: Json;
}
