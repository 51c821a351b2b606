import type { Webhook } from '../../entities/webhook.js';

/** A row without its secrets, with the names that the entity has. */
export type WebhookRow = Omit<Webhook, 'sealedSecret' | 'previousSealedSecret'>;

/** The columns of a WebhookRow, for `returning`. */
export const webhookColumns = `
  id, tenant_id as "tenantId", url, event_types as "eventTypes",
  previous_secret_expires_at as "previousSecretExpiresAt", active, generation,
  consecutive_failures as "consecutiveFailures", last_success_at as "lastSuccessAt",
  last_failure_at as "lastFailureAt", disabled_at as "disabledAt", disabled_reason as "disabledReason",
  hold_until as "holdUntil", keep_held as "keepHeld", closed_until as "closedUntil",
  failing_since as "failingSince", next_look_at as "nextLookAt", created_at as "createdAt",
  deleted_at as "deletedAt"`;
