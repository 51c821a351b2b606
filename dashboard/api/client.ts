import {
  Client,
  fetchExchange,
  type OperationResult,
  subscriptionExchange,
  type TypedDocumentNode,
} from 'urql';
import { createCache } from './cache';
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
  return new Client({
    url: URL,
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers },
    fetch: fetchSignedIn,
    exchanges: [createCache(), subscriptionExchange({ forwardSubscription: live.subscribe }), fetchExchange],
  });
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
