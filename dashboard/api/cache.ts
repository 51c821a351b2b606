import {
  type Cache,
  cacheExchange,
  type ResolveInfo,
  type UpdateResolver,
  type Variables,
} from '@urql/exchange-graphcache';
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
        events: relayPagination(),
        webhooks: relayPagination(),
        bulkOperations: relayPagination(),
        scheduledEvents: relayPagination(),
        auditLog: relayPagination(),
        apiKeys: relayPagination(),
        tenants: relayPagination(),
      },
      Event: { fanOut: relayPagination() },
    },
    updates: {
      Query: { events: forgetLaterPages, auditLog: forgetLaterPages, scheduledEvents: forgetLaterPages },
      Mutation: {
        // Lists that stay on the screen while they get longer or shorter.
        createApiKey: forgets('apiKeys'),
        revokeApiKey: forgets('apiKeys'),
        createNoticeRecipient: forgets('noticeRecipients'),
        deleteNoticeRecipient: forgets('noticeRecipients'),
        createPortalSession: forgets('portalSessions'),
        revokePortalSession: forgets('portalSessions'),
        deleteWebhook: (_result, { input }, cache) =>
          cache.invalidate({ __typename: 'Webhook', id: (input as { id: string }).id }),
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

const forgets =
  (list: string): UpdateResolver =>
  (_result, _args, cache) =>
    forget(cache, list);

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
