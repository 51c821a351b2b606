import { ApiKey } from './api-key.js';
import { Attempt } from './attempt.js';
import { AuditEntry } from './audit-entry.js';
import { BulkOperation } from './bulk-operation.js';
import { Delivery } from './delivery.js';
import { Event } from './event.js';
import { EventType } from './event-type.js';
import { NoticeRecipient } from './notice-recipient.js';
import { ScheduledEvent } from './scheduled-event.js';
import { Tenant } from './tenant.js';
import { Webhook } from './webhook.js';
import { WebhookOptions } from './webhook-options.js';

export const entities = [
  ApiKey,
  Attempt,
  AuditEntry,
  BulkOperation,
  Delivery,
  Event,
  EventType,
  NoticeRecipient,
  ScheduledEvent,
  Tenant,
  Webhook,
  WebhookOptions,
];
