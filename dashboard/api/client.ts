import { Client, fetchExchange, subscriptionExchange } from 'urql';
import { createCache } from './cache';
import { LiveConnection } from './live';
import { sessions } from './session';

/**
 * The API's client for one session and, with a platform key, one tenant: the cache never mixes two of them.
 *
 * @param tenantId the tenant that a platform key acts for; undefined for a key that has a tenant of its own, and for
 *   the installation itself.
 */
export function createClient(token: string, tenantId?: string): Client {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    ...(tenantId === undefined ? {} : { 'hookwright-tenant': tenantId }),
  };
  const live = new LiveConnection(headers);
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers },
    fetch: fetchForSession,
    exchanges: [createCache(), subscriptionExchange({ forwardSubscription: live.subscribe }), fetchExchange],
  });
}

/** Ends the session of this page where the API refuses its token: no screen has to look for that. */
const fetchForSession: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) {
    sessions.end('refused');
  }
  return response;
};
