import { Client, fetchExchange, type OperationResult, subscriptionExchange, type TypedDocumentNode } from 'urql';
import { askAgain } from './ask-again';
import { createCache } from './cache';
import { keepData } from './keep-data';
import { LiveConnection } from './live';
import { fetchSignedIn } from './session';

const URL = '/graphql';

/**
 * The API's client for one sign-in and, with a platform key, one tenant: the cache never mixes two of them. Each
 * request has the token that the session has then.
 *
 * @param tenantId the tenant that a platform key acts for; undefined for a key that has a tenant of its own, and for
 *   the installation itself.
 */
export function createClient(tenantId?: string): Client {
  const headers: Record<string, string> = tenantId === undefined ? {} : { 'hookwright-tenant': tenantId };
  const live = new LiveConnection(headers);
  const service = { url: URL, preferGetMethod: false, fetchOptions: { headers }, fetch: fetchSignedIn };
  const client: Client = new Client({
    ...service,
    requestPolicy: 'cache-and-network',
    exchanges: [
      askAgain((operation) => client.reexecuteOperation(operation)),
      keepData(),
      createCache(),
      subscriptionExchange({ forwardSubscription: live.subscribe }),
      fetchExchange,
    ],
  });
  uncached.set(client, new Client({ ...service, exchanges: [fetchExchange] }));
  return client;
}

const uncached = new WeakMap<Client, Client>();

/** A client for lists of any length, whose pages their screen keeps and forgets by itself: the cache would keep all. */
export function uncachedFor(client: Client): Client {
  return uncached.get(client) ?? client;
}

/** Asks once with a token that is not (yet) that of the page, and keeps nothing. */
export function askWith<Data>(
  token: string,
  query: TypedDocumentNode<Data, Record<string, never>>,
): Promise<OperationResult<Data>> {
  const fetchOptions = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ url: URL, preferGetMethod: false, fetchOptions, exchanges: [fetchExchange] });
  return client.query(query, {}).toPromise();
}
