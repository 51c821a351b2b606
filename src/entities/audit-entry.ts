import { OptionalProps } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { ApiKey } from './api-key.js';
import { idColumn, reference, shown, tenantFilter } from './columns.js';
import { graphqlEnum } from './graphql-enum.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';
import { Tenant } from './tenant.js';

export const AuditActor = graphqlEnum('AuditActor', 'Who made a change.', {
  TENANT_KEY: 'An API key of the tenant.',
  PLATFORM_KEY: 'A platform key, for the tenant or for the installation itself.',
  PORTAL_SESSION: 'Somebody in the portal, with a session that was created for the tenant.',
  COMMAND_LINE: 'Somebody at the command line of the installation.',
  SERVICE: 'The service itself.',
});
export type AuditActor = keyof typeof AuditActor;

export const AuditAction = graphqlEnum('AuditAction', 'A kind of change.', {
  WEBHOOK_CREATED: 'A webhook was created.',
  WEBHOOK_UPDATED: 'A webhook was changed, paused or enabled.',
  WEBHOOK_DISABLED: 'A webhook was disabled because its endpoint failed or is gone.',
  WEBHOOK_DELETED: 'A webhook was deleted.',
  WEBHOOK_SECRET_ROTATED: 'A webhook got a new signing secret.',
  HELD_RELEASED: 'The held deliveries of a webhook were released.',
  ORDERING_KEY_UNBLOCKED: 'A blocked ordering key of a webhook was unblocked.',
  DELIVERY_REDELIVERED: 'A finished delivery was sent again.',
  DELIVERY_ATTEMPTED_NOW: 'The next attempt of a delivery was made due at once.',
  DELIVERY_CANCELED: 'A delivery was canceled.',
  SCHEDULED_EVENT_CANCELED: 'A scheduled event was canceled.',
  EVENT_ERASED: 'The payload of an event was erased.',
  SCHEDULED_EVENT_ERASED: 'The payload of a scheduled event was erased.',
  BULK_OPERATION_STARTED: 'A bulk operation was started. Its deliveries have no entries of their own.',
  BULK_OPERATION_CANCELED: 'A bulk operation was canceled.',
  BULK_OPERATION_RESUMED: 'A bulk operation was resumed.',
  API_KEY_CREATED: 'An API key was created.',
  API_KEY_REVOKED: 'An API key was revoked.',
  PORTAL_SESSION_CREATED: 'A session of the portal was created.',
  PORTAL_SESSION_REVOKED: 'A session of the portal was revoked.',
  NOTICE_RECIPIENT_CREATED: 'A recipient of notices was added.',
  NOTICE_RECIPIENT_UPDATED: 'A recipient of notices was changed, confirmed or unsubscribed.',
  NOTICE_RECIPIENT_DELETED: 'A recipient of notices was deleted.',
  TENANT_CREATED: 'A tenant was created.',
  TENANT_UPDATED: 'A tenant got another name.',
  TENANT_DELETED: 'A tenant was deleted, with its webhooks and keys. The entry is in the log of the installation.',
  TENANT_MOVED: 'A tenant has moved to another cell. The entry is in the log of the installation that it left, too.',
  SIGNING_KEY_ROTATED: 'The tenant got another key pair.',
  TENANT_ENTERED: 'A platform key acted for the tenant. Written once an hour, whatever the key read or emitted.',
  DATA_KEY_REWRAPPED: "The key of the tenant's secrets was wrapped by another encryption key.",
  DATA_KEY_REPLACED:
    "The encryption key of the tenant's secrets was lost: all its webhooks have new secrets and are paused.",
  OUTBOX_GRANTED: 'A database role was allowed to emit for the tenant.',
  OUTBOX_REVOKED: 'A database role may no longer emit for the tenant.',
  EVENT_TYPE_REGISTERED: 'An event type was registered.',
  EVENT_TYPE_UPDATED: 'An event type got another description or schema, or a version of it a converter.',
  EVENT_TYPE_DEPRECATED: 'An event type was deprecated, or accepted again.',
  EVENT_TYPE_HIDDEN: 'An event type was hidden from tenants that do not use it, or shown again.',
  RELEASE_CREATED: 'A release was created.',
});
export type AuditAction = keyof typeof AuditAction;

export const AuditTarget = graphqlEnum('AuditTarget', 'A kind of object that was changed.', {
  WEBHOOK: 'A webhook.',
  DELIVERY: 'A delivery.',
  BULK_OPERATION: 'A bulk operation.',
  API_KEY: 'An API key.',
  PORTAL_SESSION: 'A session of the portal.',
  NOTICE_RECIPIENT: 'A recipient of notices.',
  EVENT: 'An event.',
  SCHEDULED_EVENT: 'A scheduled event.',
  TENANT: 'A tenant.',
  EVENT_TYPE: 'An event type.',
  RELEASE: 'A release.',
});
export type AuditTarget = keyof typeof AuditTarget;

@Entity({ schema: 'hookwright', tableName: 'audit_log' })
@Filter(tenantFilter())
@NumberedNode('AuditEntry', 'The number of the entry. Later entries have higher numbers.')
@ObjectType({
  implements: Node,
  description: 'A change that somebody made. Entries never change, and are only erased together with their tenant.',
})
export class AuditEntry {
  [OptionalProps]?: 'createdAt';

  @PrimaryKey(idColumn())
  id!: number;

  /** Null for a change of the installation itself. */
  @ManyToOne(() => Tenant, { ...reference('tenant_id'), nullable: true })
  tenantId!: number | null;

  @shown.enum(() => AuditActor, 'Who made the change.')
  actor!: AuditActor;

  @ManyToOne(() => ApiKey, { ...reference('api_key_id'), nullable: true })
  @ShowsIdOf('ApiKey', {
    nullable: true,
    description: 'The API key that was used. A portal session has the number of its key. Null when there was no key.',
  })
  apiKeyId!: number | null;

  @shown.enum(() => AuditAction, 'The kind of change.')
  action!: AuditAction;

  @shown.enum(() => AuditTarget, 'The kind of object that was changed.')
  targetType!: AuditTarget;

  /** A number, or the name of an event type. The public field is in api/graphql/tenants/audit-log.ts. */
  @Property({ type: 'text' })
  targetId!: string;

  /** JSON. */
  @Property({ type: 'text', nullable: true })
  before!: string | null;

  /** JSON. */
  @Property({ type: 'text', nullable: true })
  after!: string | null;

  @shown.nullableText('The X-Request-Id of the request. Null when there was no request.')
  requestId!: string | null;

  @shown.creationTime('When the change was made.')
  createdAt!: Date;
}
