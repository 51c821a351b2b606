/**
 * Where the pages keep what the API answers: each list and each object is in one of two places.
 *
 * 1. The cache (`cache.ts`) has all but the list of deliveries. Screens read by `useQuery`: a screen that is opened shows
 *    what the cache has, and asks the service too, so no list has to be dropped because something changed while nobody
 *    looked at it. The function that `useQuery` returns always asks the service, and the last answer stays beside an
 *    error (`keep-shown.ts`). No screen sets a request policy.
 * 2. A `Feed` (`screens/deliveries/list/feed.ts`) has a list without an end, which changes while somebody looks at it.
 *    It reads by a client without a cache (`createFeedClient`), and forgets pages that are far from the visible rows.
 *
 * Updates of the stream change an object in the cache by its id, and a row in a `Feed` by `Feed.update`.
 */

import {
  Client,
  createRequest,
  fetchExchange,
  type OperationResult,
  type SubscriptionForwarder,
  subscriptionExchange,
  type TypedDocumentNode,
} from 'urql';
import { BASE } from './base';
import { createCache } from './cache';
import { keepShown } from './keep-shown';
import type { LiveConnection } from './live';
import { liveStates } from './live-states';
import { pauseMs } from './passing';
import { laterScript } from './scripts';
import { fetchSignedIn } from './session';

const URL = `${BASE}/graphql`;

/**
 * The API's client for one sign-in and, with a platform key, one tenant: the cache never mixes two of them. Each
 * request has the token that the session has then.
 *
 * @param tenantId the tenant that a platform key acts for; undefined for a key that has a tenant of its own, and for
 *   the installation itself.
 */
export function createClient(tenantId?: string): Client {
  const headers: Record<string, string> = tenantId === undefined ? {} : { 'hookwright-tenant': tenantId };
  const client: Client = new Client({
    url: URL,
    preferGetMethod: false,
    fetchOptions: { headers },
    fetch: fetchSignedIn,
    requestPolicy: 'cache-and-network',
    exchanges: [
      keepShown((operation) => client.reexecuteOperation(operation)),
      createCache(),
      subscriptionExchange({ forwardSubscription: laterLive(headers) }),
      fetchExchange,
    ],
  });
  return client;
}

const loadLive = laterScript(() => import('./live'));

/** The live connection comes with the first subscription, and after the first figures: it changes them. */
function laterLive(headers: Record<string, string>): SubscriptionForwarder {
  let live: Promise<LiveConnection> | undefined;
  const connect = async (failures = 0): Promise<LiveConnection> => {
    try {
      const { LiveConnection } = await loadLive();
      liveStates.set(headers, 'off');
      return new LiveConnection(headers);
    } catch {
      liveStates.set(headers, 'waiting');
      await new Promise((resolve) => setTimeout(resolve, pauseMs(failures + 1)));
      return connect(failures + 1);
    }
  };
  return (request, operation) => ({
    subscribe: (observer) => {
      let isOver = false;
      let end = () => {
        isOver = true;
      };
      live ??= connect();
      void live.then((connection) => {
        if (!isOver) {
          end = connection.subscribe(request, operation).subscribe(observer).unsubscribe;
        }
      });
      return { unsubscribe: () => end() };
    },
  });
}

/** A client for the pages of a `Feed`: it has the session and the tenant of `client`, and no cache. */
export function createFeedClient(client: Client): Client {
  const { context } = client.createRequestOperation('query', createRequest('{ __typename }', {}));
  return new Client({ ...context, exchanges: [fetchExchange] });
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
