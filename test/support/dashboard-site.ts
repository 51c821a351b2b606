import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { OneTimeCode } from '../../src/api/dashboard/one-time-code.js';
import { serve } from './loopback.js';
import { openServed, postGraphql, ServedApi, type ServedOptions } from './served-api.js';
import { temporaryFolder } from './temporary-folder.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

interface SiteOptions extends Pick<ServedOptions, 'settings' | 'clock' | 'now' | 'fill'> {
  startCode?: OneTimeCode | null;
  /** Default: one with a page of each kind. */
  folder?: string;
  /** Default: any free one. */
  port?: number;
}

/** Pages as a build would leave them. */
export const builtPages = {
  'portal.html': '<!doctype html><title>portal</title><script>1;</script>',
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
export class DashboardSite extends ServedApi {
  origin = '';

  static async open(options: SiteOptions = {}): Promise<DashboardSite> {
    const { startCode = null, folder = buildPages(), clock, now, fill } = options;
    const settings = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`, ...options.settings };
    const site = new DashboardSite(await openServed({ settings, clock, now, fill, dashboard: { startCode, folder } }));
    site.origin = `http://127.0.0.1:${await serve(site.server, options.port)}`;
    return site;
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

  ask(query: string, variables: Record<string, unknown>, key: string, tenant?: number) {
    const headers = tenant === undefined ? {} : { 'hookwright-tenant': String(tenant) };
    return postGraphql(this.origin, key, { query, variables }, headers);
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
}

interface MadeSession {
  url: string;
  /** The path of its page and of the exchange of its code. */
  path: string;
  code: string;
  session: Json;
}
