import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AuditAction, AuditActor, AuditTarget } from '../../api/generated/graphql';

/** Each action in words that end a sentence. */
export const ACTION_WORDS: Record<AuditAction, MessageDescriptor> = {
  API_KEY_CREATED: msg`Key created`,
  API_KEY_REVOKED: msg`Key revoked`,
  BULK_OPERATION_CANCELED: msg`Operation canceled`,
  BULK_OPERATION_RESUMED: msg`Operation resumed`,
  BULK_OPERATION_STARTED: msg`Operation started`,
  DATA_KEY_REPLACED: msg`Encryption key replaced`,
  DATA_KEY_REWRAPPED: msg`Encryption key wrapped again`,
  DELIVERY_ATTEMPTED_NOW: msg`Delivery tried at once`,
  DELIVERY_CANCELED: msg`Delivery canceled`,
  DELIVERY_REDELIVERED: msg`Delivery sent again`,
  EVENT_ERASED: msg`Event erased`,
  EVENT_TYPE_DEPRECATED: msg`Event type deprecated or restored`,
  EVENT_TYPE_HIDDEN: msg`Event type hidden or shown`,
  EVENT_TYPE_REGISTERED: msg`Event type registered`,
  EVENT_TYPE_UPDATED: msg`Event type changed`,
  RELEASE_CREATED: msg`Release created`,
  HELD_RELEASED: msg`Held deliveries released`,
  ORDERING_KEY_UNBLOCKED: msg`Ordering key unblocked`,
  OUTBOX_GRANTED: msg`Outbox opened to a database role`,
  OUTBOX_REVOKED: msg`Outbox closed to a database role`,
  PORTAL_SESSION_CREATED: msg`Portal link created`,
  NOTICE_RECIPIENT_CREATED: msg`Notice recipient added`,
  NOTICE_RECIPIENT_DELETED: msg`Notice recipient deleted`,
  NOTICE_RECIPIENT_UPDATED: msg`Notice recipient changed`,
  PORTAL_SESSION_REVOKED: msg`Portal session revoked`,
  SCHEDULED_EVENT_CANCELED: msg`Scheduled event canceled`,
  SCHEDULED_EVENT_ERASED: msg`Scheduled event erased`,
  SIGNING_KEY_ROTATED: msg`Key pair rotated`,
  TENANT_CREATED: msg`Tenant created`,
  TENANT_DELETED: msg`Tenant deleted`,
  TENANT_ENTERED: msg`Tenant entered by the operator`,
  TENANT_MOVED: msg`Tenant moved to another cell`,
  TENANT_UPDATED: msg`Tenant changed`,
  WEBHOOK_CREATED: msg`Endpoint added`,
  WEBHOOK_DELETED: msg`Endpoint deleted`,
  WEBHOOK_DISABLED: msg`Endpoint disabled by its failures`,
  WEBHOOK_SECRET_ROTATED: msg`Signing secret rotated`,
  WEBHOOK_UPDATED: msg`Endpoint changed`,
};

export const ACTOR_WORDS: Record<AuditActor, MessageDescriptor> = {
  COMMAND_LINE: msg`the operator, at the command line`,
  PLATFORM_KEY: msg`the operator`,
  PORTAL_SESSION: msg`someone in the portal`,
  SERVICE: msg`the service itself`,
  TENANT_KEY: msg`a key`,
};

export const TARGET_WORDS: Record<AuditTarget, MessageDescriptor> = {
  API_KEY: msg`Key`,
  BULK_OPERATION: msg`Operation`,
  DELIVERY: msg`Delivery`,
  EVENT: msg`Event`,
  EVENT_TYPE: msg`Event type`,
  RELEASE: msg`Release`,
  NOTICE_RECIPIENT: msg`Notice recipient`,
  PORTAL_SESSION: msg`Portal session`,
  SCHEDULED_EVENT: msg`Scheduled event`,
  TENANT: msg`Tenant`,
  WEBHOOK: msg`Endpoint`,
};
