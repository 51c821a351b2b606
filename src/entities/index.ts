import { ApiKey } from './api-key.js';
import { Attempt } from './attempt.js';
import { AuditEntry } from './audit-entry.js';
import { BulkOperation } from './bulk-operation.js';
import { Delivery } from './delivery.js';
import { DeliveryStat } from './delivery-stat.js';
import { Event } from './event.js';
import { EventType } from './event-type.js';
import { IdempotencyKey } from './idempotency-key.js';
import { Tenant } from './tenant.js';
import { Webhook } from './webhook.js';

export const entities = [
  ApiKey,
  Attempt,
  AuditEntry,
  BulkOperation,
  Delivery,
  DeliveryStat,
  Event,
  EventType,
  IdempotencyKey,
  Tenant,
  Webhook,
];
