import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../src/api/context/context.js';
import type { DashboardOptions } from '../../src/api/dashboard/dashboard.js';
import { buildServer } from '../../src/api/server.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { makeKey } from './factories.js';
import { serve } from './loopback.js';

export interface RawAnswer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
  body: any;
}

/** The API of a service as a client meets it: over a real socket, and with whatever bytes the client likes. */
export class ApiOverSockets implements AsyncDisposable {
  private constructor(
    private server: FastifyInstance,
    readonly port: number,
    readonly key: string,
  ) {}

  /**
   * Listens on loopback, for a key of this tenant with all its scopes.
   *
   * @param keyMaker services that may make a key, where those of the API may not
   */
  static async open(
    services: Services,
    tenantId: number,
    keyMaker = services,
    options: DashboardOptions = {},
  ): Promise<ApiOverSockets> {
    const server = await buildServer(services, options);
    return new ApiOverSockets(server, await serve(server), (await makeKey(keyMaker, tenantId, SCOPES)).key);
  }

  /** Resolves when the head of the next request has arrived. */
  async nextRequest(): Promise<void> {
    await once(this.server.server, 'request');
  }

  /** Sends a text, or bytes, as the body of a request. */
  async post(path: string, body: string | Buffer<ArrayBuffer>, contentType = 'application/json'): Promise<RawAnswer> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': contentType };
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) };
  }

  async graphql(query: string, variables: Record<string, unknown> = {}): Promise<RawAnswer> {
    return this.post('/graphql', JSON.stringify({ query, variables }));
  }

  /** Ends as a service does: requests under way are answered. */
  async end(): Promise<void> {
    await this.server.close();
  }

  /** Goes like a killed process: all connections break, and nobody listens. */
  async goAway(): Promise<void> {
    this.server.server.closeAllConnections();
    await this.end();
  }

  /** Starts the next process: it listens at the same port, and knows nothing of the one before. */
  async comeBack(services: Services, options: DashboardOptions = {}): Promise<void> {
    this.server = await buildServer(services, options);
    await serve(this.server, this.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goAway();
  }
}
