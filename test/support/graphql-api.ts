import { afterAll, expect } from 'vitest';
import { makeTenant } from './factories.js';
import { watchPlaintext } from './plaintext.js';
import { openServed, ServedApi } from './served-api.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

export interface Answer {
  status: number;
  headers: Map<string, string>;
  data: Json;
  errors: Json[];
}

/** Says who asks. */
export const viewerQuery = '{ viewer { tenant { id } apiKey { id name } scopes } }';

interface Asking {
  key?: string | undefined;
  /** The header Hookwright-Tenant. */
  tenant?: number | string;
}

/** The GraphQL interface as a client meets it, status and headers included, on a database of its own. */
export class GraphqlApi extends ServedApi {
  static async open(settings: Record<string, string> = {}, now?: () => number): Promise<GraphqlApi> {
    return new GraphqlApi(await openServed({ settings, now }));
  }

  /** Sends one request as its JSON body would arrive. */
  async ask(query: string, variables: Record<string, unknown> = {}, asking: Asking = {}): Promise<Answer> {
    return this.send({ query, variables }, asking);
  }

  /** Asks as one caller. */
  by(asking: Asking) {
    const ask = (query: string, variables?: Record<string, unknown>) => this.ask(query, variables, asking);
    return {
      ask,
      /** The data of an answer without errors. */
      read: async (query: string, variables?: Record<string, unknown>) => dataOf(await ask(query, variables)),
      /** Runs the mutation of this name. */
      mutate: (name: string, input: object, selection: string) => {
        const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
        return ask(`mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`, { input });
      },
    };
  }

  async send(body: unknown, asking: Asking, headers: Record<string, string> = {}): Promise<Answer> {
    const payload = JSON.stringify(body);
    return this.#inject(
      { method: 'POST', url: '/graphql', payload },
      { 'content-type': 'application/json', ...headers },
      asking,
    );
  }

  /** Sends a query in the URL. */
  async get(query: string, asking: Asking, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#inject(
      { method: 'GET', url: `/graphql?query=${encodeURIComponent(query)}` },
      { 'apollo-require-preflight': 'true', ...headers },
      asking,
    );
  }

  async #inject(
    request: { method: 'GET' | 'POST'; url: string; payload?: string },
    headers: Record<string, string>,
    { key, tenant }: Asking,
  ): Promise<Answer> {
    const response = await this.server.inject({
      ...request,
      headers: {
        'x-request-id': 'test',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(tenant === undefined ? {} : { 'hookwright-tenant': String(tenant) }),
        ...headers,
      },
    });
    const { data, errors = [] } = response.json();
    watchPlaintext('errors of GraphQL', JSON.stringify(errors));
    const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: response.statusCode, headers: new Map(told), data, errors };
  }
}

/** The interface for all tests of a file, with a tenant and what it asks. */
export async function openGraphql(settings?: Record<string, string>, now?: () => number) {
  const api = await GraphqlApi.open(settings, now);
  afterAll(() => api.close());
  const tenant = await makeTenant(api.services);
  return { api, tenant, ...api.by(tenant) };
}

/** The codes of an answer's errors. */
export const codesOf = ({ errors }: Answer): string[] => errors.map(({ extensions }) => extensions.code);

/** The data of an answer that has no errors. */
export function dataOf({ data, errors }: Answer): Json {
  expect(errors).toEqual([]);
  return data;
}

export const nodesOf = (connection: { edges: { node: Json }[] }): Json[] => connection.edges.map(({ node }) => node);
