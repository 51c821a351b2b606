import { OptionalProps } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { ApiKey } from './api-key.js';
import { creationTimeColumn, idColumn, reference, tenantFilter } from './columns.js';
import { Node, NumberedNode, ShowsIdOf } from './node.js';
import { Tenant } from './tenant.js';

export enum AuditActor {
  TENANT_KEY = 'TENANT_KEY',
  PLATFORM_KEY = 'PLATFORM_KEY',
  PORTAL_SESSION = 'PORTAL_SESSION',
  COMMAND_LINE = 'COMMAND_LINE',
  SERVICE = 'SERVICE',
}
registerEnumType(AuditActor, {
  name: 'AuditActor',
  description: 'Who did something.',
  valuesConfig: {
    TENANT_KEY: { description: 'An API key of the tenant.' },
    PLATFORM_KEY: { description: 'A platform key, for the tenant or for the installation itself.' },
    PORTAL_SESSION: { description: 'Somebody in the portal, with a session that was made for the tenant.' },
    COMMAND_LINE: { description: 'Somebody at the command line of the installation.' },
    SERVICE: { description: 'The service itself.' },
  },
});

export enum AuditAction {
  WEBHOOK_CREATED = 'WEBHOOK_CREATED',
  WEBHOOK_UPDATED = 'WEBHOOK_UPDATED',
  WEBHOOK_DISABLED = 'WEBHOOK_DISABLED',
  WEBHOOK_DELETED = 'WEBHOOK_DELETED',
  WEBHOOK_SECRET_ROTATED = 'WEBHOOK_SECRET_ROTATED',
  HELD_RELEASED = 'HELD_RELEASED',
  DELIVERY_REDELIVERED = 'DELIVERY_REDELIVERED',
  DELIVERY_CANCELED = 'DELIVERY_CANCELED',
  BULK_OPERATION_STARTED = 'BULK_OPERATION_STARTED',
  BULK_OPERATION_CANCELED = 'BULK_OPERATION_CANCELED',
  BULK_OPERATION_RESUMED = 'BULK_OPERATION_RESUMED',
  API_KEY_CREATED = 'API_KEY_CREATED',
  API_KEY_REVOKED = 'API_KEY_REVOKED',
  PORTAL_SESSION_CREATED = 'PORTAL_SESSION_CREATED',
  PORTAL_SESSION_REVOKED = 'PORTAL_SESSION_REVOKED',
  TENANT_CREATED = 'TENANT_CREATED',
  TENANT_UPDATED = 'TENANT_UPDATED',
  TENANT_DELETED = 'TENANT_DELETED',
  TENANT_ENTERED = 'TENANT_ENTERED',
  DATA_KEY_REWRAPPED = 'DATA_KEY_REWRAPPED',
  DATA_KEY_REPLACED = 'DATA_KEY_REPLACED',
  OUTBOX_GRANTED = 'OUTBOX_GRANTED',
  OUTBOX_REVOKED = 'OUTBOX_REVOKED',
  EVENT_TYPE_REGISTERED = 'EVENT_TYPE_REGISTERED',
  EVENT_TYPE_UPDATED = 'EVENT_TYPE_UPDATED',
  EVENT_TYPE_DEPRECATED = 'EVENT_TYPE_DEPRECATED',
}
registerEnumType(AuditAction, {
  name: 'AuditAction',
  description: 'What was done.',
  valuesConfig: {
    WEBHOOK_CREATED: { description: 'A webhook was made.' },
    WEBHOOK_UPDATED: { description: 'A webhook was changed, paused or enabled.' },
    WEBHOOK_DISABLED: { description: 'A webhook was disabled because its endpoint failed or is gone.' },
    WEBHOOK_DELETED: { description: 'A webhook was deleted.' },
    WEBHOOK_SECRET_ROTATED: { description: 'A webhook got a new signing secret.' },
    HELD_RELEASED: { description: 'What a webhook held was released.' },
    DELIVERY_REDELIVERED: { description: 'A finished delivery was sent again.' },
    DELIVERY_CANCELED: { description: 'A delivery was canceled.' },
    BULK_OPERATION_STARTED: { description: 'A bulk operation was started. Its deliveries are not noted one by one.' },
    BULK_OPERATION_CANCELED: { description: 'A bulk operation was canceled.' },
    BULK_OPERATION_RESUMED: { description: 'A bulk operation was resumed.' },
    API_KEY_CREATED: { description: 'An API key was made.' },
    API_KEY_REVOKED: { description: 'An API key was revoked.' },
    PORTAL_SESSION_CREATED: { description: 'A session of the portal was made.' },
    PORTAL_SESSION_REVOKED: { description: 'A session of the portal was revoked.' },
    TENANT_CREATED: { description: 'A tenant was made.' },
    TENANT_UPDATED: { description: 'A tenant got another name.' },
    TENANT_DELETED: {
      description: 'A tenant was deleted, with its webhooks and keys. Stands in the log of the installation.',
    },
    TENANT_ENTERED: {
      description: 'A platform key acted for the tenant: noted once an hour, whatever it read or emitted.',
    },
    DATA_KEY_REWRAPPED: { description: "The key of the tenant's secrets was wrapped by another encryption key." },
    DATA_KEY_REPLACED: {
      description:
        "The encryption key of the tenant's secrets was lost: all its webhooks have new secrets, and are paused.",
    },
    OUTBOX_GRANTED: { description: 'A database role was allowed to emit for the tenant.' },
    OUTBOX_REVOKED: { description: 'A database role may no longer emit for the tenant.' },
    EVENT_TYPE_REGISTERED: { description: 'An event type was registered.' },
    EVENT_TYPE_UPDATED: { description: 'An event type got another description or schema.' },
    EVENT_TYPE_DEPRECATED: { description: 'An event type was deprecated, or taken into use again.' },
  },
});

export enum AuditTarget {
  WEBHOOK = 'WEBHOOK',
  DELIVERY = 'DELIVERY',
  BULK_OPERATION = 'BULK_OPERATION',
  API_KEY = 'API_KEY',
  PORTAL_SESSION = 'PORTAL_SESSION',
  TENANT = 'TENANT',
  EVENT_TYPE = 'EVENT_TYPE',
}
registerEnumType(AuditTarget, {
  name: 'AuditTarget',
  description: 'To what it was done.',
  valuesConfig: {
    WEBHOOK: { description: 'A webhook.' },
    DELIVERY: { description: 'A delivery.' },
    BULK_OPERATION: { description: 'A bulk operation.' },
    API_KEY: { description: 'An API key.' },
    PORTAL_SESSION: { description: 'A session of the portal.' },
    TENANT: { description: 'A tenant.' },
    EVENT_TYPE: { description: 'An event type.' },
  },
});

@Entity({ schema: 'hookwright', tableName: 'audit_log' })
@Filter(tenantFilter())
@NumberedNode('AuditEntry', 'Its number; later entries have higher ones.')
@ObjectType({
  implements: Node,
  description: 'One change that somebody made. Entries are never changed; they go with their tenant alone.',
})
export class AuditEntry {
  [OptionalProps]?: 'createdAt';

  @PrimaryKey(idColumn())
  id!: number;

  /** Null: a matter of the installation itself. */
  @ManyToOne(() => Tenant, { ...reference('tenant_id'), nullable: true })
  tenantId!: number | null;

  @Property({ type: 'text' })
  @Field(() => AuditActor, { description: 'Who did it.' })
  actor!: AuditActor;

  @ManyToOne(() => ApiKey, { ...reference('api_key_id'), nullable: true })
  @ShowsIdOf('ApiKey', {
    nullable: true,
    description: 'The API key that was used, also that of a portal session, which has its number; null where none was.',
  })
  apiKeyId!: number | null;

  @Property({ type: 'text' })
  @Field(() => AuditAction, { description: 'What was done.' })
  action!: AuditAction;

  @Property({ type: 'text' })
  @Field(() => AuditTarget, { description: 'To what kind of thing.' })
  targetType!: AuditTarget;

  /** A number; for an event type its name. Its public field is in graphql/tenants/audit-log.ts. */
  @Property({ type: 'text' })
  targetId!: string;

  /** JSON. */
  @Property({ type: 'text', nullable: true })
  before!: string | null;

  /** JSON. */
  @Property({ type: 'text', nullable: true })
  after!: string | null;

  @Property({ type: 'text', nullable: true })
  @Field(() => String, { nullable: true, description: 'The X-Request-Id of the request; null where there was none.' })
  requestId!: string | null;

  @Property(creationTimeColumn())
  @Field(() => Date, { description: 'When it was done.' })
  createdAt!: Date;
}
