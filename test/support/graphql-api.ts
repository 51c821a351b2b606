import {
  type ApolloServer,
  HeaderMap,
  type HTTPGraphQLRequest,
  type HTTPGraphQLResponse,
} from '@apollo/server';
import type pg from 'pg';
import { type Context, createContext, type Services } from '../../src/context.js';
import { openPool } from '../../src/database.js';
import { createApolloServer } from '../../src/graphql/apollo.js';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { API_ROLE } from '../../src/tenant-database.js';
import { createTestDatabase } from './database.js';
import { openTestServices } from './factories.js';
import { watchPlaintext } from './plaintext.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

export interface Answer {
  status: number;
  headers: Map<string, string>;
  data: Json;
  errors: Json[];
}

export interface Asking {
  key?: string | undefined;
  /** The header Hookwright-Tenant. */
  tenant?: number | string;
}

/** The GraphQL interface as a client meets it, status and headers included, on a database of its own. */
export class GraphqlApi {
  private constructor(
    readonly services: Services,
    readonly databaseUrl: string,
    /** Past the API's role: sees and changes what it wants. */
    readonly owner: pg.Pool,
    private readonly server: ApolloServer<Context>,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async open(settings: Record<string, string> = {}, clock?: () => Date): Promise<GraphqlApi> {
    const { url, drop } = await createTestDatabase();
    const services = await openTestServices(url, { settings, clock, role: API_ROLE });
    const owner = openPool(url, 2, () => {});
    const server = createApolloServer(await buildGraphqlSchema(), services);
    await server.start();
    return new GraphqlApi(services, url, owner, server, drop);
  }

  async close(): Promise<void> {
    await this.server.stop();
    await Promise.all([this.services.db.close(), this.owner.end()]);
    await this.dropDatabase();
  }

  /** Sends one request as its JSON body would arrive. */
  async ask(query: string, variables: Record<string, unknown> = {}, asking: Asking = {}): Promise<Answer> {
    return this.send({ query, variables }, asking);
  }

  async send(body: unknown, { key, tenant }: Asking): Promise<Answer> {
    const request = {
      method: 'POST',
      headers: new HeaderMap([['content-type', 'application/json']]),
      search: '',
      body: JSON.parse(JSON.stringify(body)),
    };
    return answerOf(await this.#execute(request, key, tenant));
  }

  /** Sends a query in the URL, as a browser could be made to do from another site. */
  async get(query: string, headers: Record<string, string>, { key }: Asking): Promise<Answer> {
    const request = {
      method: 'GET',
      headers: new HeaderMap(Object.entries(headers)),
      search: `?query=${encodeURIComponent(query)}`,
      body: undefined,
    };
    return answerOf(await this.#execute(request, key, undefined));
  }

  #execute(
    httpGraphQLRequest: HTTPGraphQLRequest,
    key: string | undefined,
    tenant: number | string | undefined,
  ) {
    return this.server.executeHTTPGraphQLRequest({
      httpGraphQLRequest,
      context: () =>
        createContext(this.services, {
          authorization: key === undefined ? undefined : `Bearer ${key}`,
          tenantHeader: tenant === undefined ? undefined : String(tenant),
          requestId: 'test',
          address: '127.0.0.1',
        }),
    });
  }
}

/** The codes of an answer's errors. */
export const codesOf = ({ errors }: Answer): string[] => errors.map(({ extensions }) => extensions.code);

function answerOf({ status = 200, headers, body }: HTTPGraphQLResponse): Answer {
  const { data, errors = [] } = JSON.parse(body.kind === 'complete' ? body.string : '{}');
  watchPlaintext('errors of GraphQL', JSON.stringify(errors));
  return { status, headers, data, errors };
}
