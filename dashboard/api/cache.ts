import { type Cache, cacheExchange, type ResolveInfo, type Variables } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { stringifyVariables } from 'urql';

/**
 * The normalized cache: an object with an id is kept once, so an update of it (by a stream or a mutation) shows
 * wherever it is shown. Objects without an id are kept within the one that has them.
 */
export function createCache() {
  return cacheExchange({
    keys: new Proxy({}, { get: () => idOf }),
    resolvers: {
      Query: {
        deliveries: relayPagination(),
        events: relayPagination(),
        webhooks: relayPagination(),
        bulkOperations: relayPagination(),
        auditLog: relayPagination(),
        apiKeys: relayPagination(),
        tenants: relayPagination(),
        portalSessions: relayPagination(),
      },
      Event: { fanOut: relayPagination(), deliveries: relayPagination() },
      Webhook: { deliveries: relayPagination() },
    },
    updates: {
      Query: { events: forgetLaterPages, auditLog: forgetLaterPages },
      Mutation: {
        createWebhook: (_result, _args, cache) => forget(cache, 'webhooks'),
        deleteWebhook: (_result, { input }, cache) => {
          cache.invalidate({ __typename: 'Webhook', id: (input as { id: string }).id });
          forget(cache, 'webhooks', 'backlog');
        },
        createApiKey: (_result, _args, cache) => forget(cache, 'apiKeys'),
        revokeApiKey: (_result, _args, cache) => forget(cache, 'apiKeys'),
        createTenant: (_result, _args, cache) => forget(cache, 'tenants'),
        deleteTenant: (_result, _args, cache) => forget(cache, 'tenants'),
        registerEventType: (_result, _args, cache) => forget(cache, 'eventTypes'),
        createPortalSession: (_result, _args, cache) => forget(cache, 'portalSessions'),
        recoverWebhook: (_result, _args, cache) => forget(cache, 'bulkOperations'),
        replayEvents: (_result, _args, cache) => forget(cache, 'bulkOperations'),
        cancelDeliveries: (_result, _args, cache) => forget(cache, 'bulkOperations'),
        testWebhook: (_result, _args, cache) => forget(cache, 'deliveries'),
      },
      Subscription: {
        webhookUpdated: (result, _args, cache) => {
          const { webhook, webhookId, resync } = result['webhookUpdated'] as {
            webhook: object | null;
            webhookId: string | null;
            resync: boolean;
          };
          if (resync) {
            forget(cache, 'webhooks', 'webhook');
          } else if (webhook === null && webhookId !== null) {
            cache.invalidate({ __typename: 'Webhook', id: webhookId });
            forget(cache, 'webhooks');
          }
        },
        deliveryUpdated: (result, _args, cache) => {
          if ((result['deliveryUpdated'] as { resync: boolean }).resync) {
            forget(cache, 'deliveries', 'delivery');
          }
        },
      },
    },
  });
}

const idOf = ({ id }: { id?: unknown }): string | null => (typeof id === 'string' ? id : null);

/**
 * A first page that is read again has moved on from the pages after it: rows between them would be missing, so those
 * pages are dropped.
 */
function forgetLaterPages(_result: unknown, args: Variables, cache: Cache, { fieldName }: ResolveInfo): void {
  if (args['after'] != null) {
    return;
  }
  const { after: _, ...list } = args;
  for (const { fieldName: name, arguments: known } of cache.inspectFields('Query')) {
    const { after, ...other } = known ?? {};
    if (name === fieldName && after != null && stringifyVariables(other) === stringifyVariables(list)) {
      cache.invalidate('Query', name, known);
    }
  }
}

/** Drops what the cache has of these fields of the query, whatever their arguments: screens that show them ask again. */
function forget(cache: Cache, ...fields: string[]): void {
  for (const field of fields) {
    for (const { fieldName, arguments: args } of cache.inspectFields('Query')) {
      if (fieldName === field) {
        cache.invalidate('Query', fieldName, args);
      }
    }
  }
}
