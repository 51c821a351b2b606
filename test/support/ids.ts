import { globalId, type NodeType, parseGlobalId } from '../../src/domain/ids/global-id.js';

const of = (type: NodeType) => (key: number | string) => globalId(type, key);

/** The ids that GraphQL shows for rows of the database, as `gid.webhook(12)`. */
export const gid = {
  apiKey: of('ApiKey'),
  bulkOperation: of('BulkOperation'),
  delivery: of('Delivery'),
  event: of('Event'),
  eventType: of('EventType'),
  noticeRecipient: of('NoticeRecipient'),
  portalSession: of('PortalSession'),
  tenant: of('Tenant'),
  webhook: of('Webhook'),
};

/** The number in an id that GraphQL shows. */
export const numberIn = (id: string): number => Number(parseGlobalId(id)?.key);
