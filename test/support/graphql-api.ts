import { type ApolloServer, HeaderMap } from '@apollo/server';
import { type Context, createContext, type Services } from '../../src/context.js';
import { createApolloServer } from '../../src/graphql/apollo.js';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { createTestDatabase } from './database.js';
import { openTestServices } from './factories.js';

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
    private readonly server: ApolloServer<Context>,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async open(settings: Record<string, string> = {}, clock?: () => Date): Promise<GraphqlApi> {
    const { url, drop } = await createTestDatabase();
    const services = await openTestServices(url, settings, clock);
    const server = createApolloServer(await buildGraphqlSchema(), services);
    await server.start();
    return new GraphqlApi(services, url, server, drop);
  }

  async close(): Promise<void> {
    await this.server.stop();
    await this.services.db.close();
    await this.dropDatabase();
  }

  /** Sends one request as its JSON body would arrive. */
  async ask(query: string, variables: Record<string, unknown> = {}, asking: Asking = {}): Promise<Answer> {
    return this.send({ query, variables }, asking);
  }

  async send(body: unknown, { key, tenant }: Asking): Promise<Answer> {
    const { head, text } = await this.#execute(body, key, tenant);
    const { data, errors } = JSON.parse(text);
    return { status: head.status ?? 200, headers: head.headers, data, errors: errors ?? [] };
  }

  async #execute(body: unknown, key: string | undefined, tenant: number | string | undefined) {
    const answer = await this.server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: 'POST',
        headers: new HeaderMap([['content-type', 'application/json']]),
        search: '',
        body: JSON.parse(JSON.stringify(body)),
      },
      context: () =>
        createContext(this.services, {
          authorization: key === undefined ? undefined : `Bearer ${key}`,
          tenantHeader: tenant === undefined ? undefined : String(tenant),
          requestId: 'test',
        }),
    });
    const text = answer.body.kind === 'complete' ? answer.body.string : '{}';
    return { head: answer, text };
  }
}

/** The codes of an answer's errors. */
export const codesOf = ({ errors }: Answer): string[] => errors.map(({ extensions }) => extensions.code);
