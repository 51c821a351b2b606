import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { ENDPOINT_FIELDS, LIMIT_FIELDS } from '../../text/field-names';

const IN_FORMS = { ...ENDPOINT_FIELDS, ...LIMIT_FIELDS };

/** The names of fields that the log has besides those of forms. */
const OTHERS: Readonly<Record<string, MessageDescriptor>> = {
  active: msg`State`,
  reason: msg`Reason`,
  disabledReason: msg`Reason`,
  consecutiveFailures: msg`Failures in a row`,
  held: msg`Held deliveries`,
  verified: msg`Proof`,
  secret: msg`Signing secret`,
  previousSecret: msg`Previous secret`,
  overlapHours: msg`Overlap`,
  previousSecretExpiresAt: msg`Old secret ends`,
  status: msg`State`,
  reshape: msg`Content`,
  key: msg`Ordering key`,
  action: msg`Decision`,
  kind: msg`Kind`,
  count: msg`Found`,
  webhookId: msg`Endpoint`,
  eventType: msg`Event type`,
  eventId: msg`Event`,
  since: msg`Since`,
  until: msg`Before`,
  statusClass: msg`Answer`,
  errorCode: msg`Reason`,
  lastAttemptFailed: msg`Last attempt failed`,
  retrying: msg`Retrying`,
  payloadContains: msg`Text in the payload`,
  includeDelivered: msg`With delivered events`,
  includeUnsubscribed: msg`With unsubscribed types`,
  includeFiltered: msg`With filtered events`,
  scopes: msg`Permissions`,
  capabilities: msg`Permissions`,
  expiresInSeconds: msg`Lifetime`,
  keysExpireInSeconds: msg`Lifetime of keys`,
  invitationDays: msg`Days of the invitation`,
  parentOrigins: msg`Pages that embed it`,
  locale: msg`Language`,
  theme: msg`Theme`,
  look: msg`Look`,
  returnUrl: msg`Way back`,
  path: msg`First screen`,
  address: msg`Address`,
  topics: msg`Topics`,
  digest: msg`Sent`,
  language: msg`Language`,
  confirmed: msg`Confirmed`,
  unsubscribed: msg`Unsubscribed`,
  deprecated: msg`Deprecated`,
  hidden: msg`Hidden`,
  schema: msg`Schema`,
  version: msg`Version`,
  role: msg`Database role`,
  encryptionKey: msg`Encryption key`,
  kid: msg`Key pair`,
  inHours: msg`Used in`,
  usedFrom: msg`Used from`,
  webhooks: msg`Endpoints`,
  apiKeys: msg`Keys`,
};

/** The name of a field of the log, as forms have it. One of a later version keeps its own. */
export function fieldName(field: string): MessageDescriptor | string {
  return Object.hasOwn(IN_FORMS, field)
    ? IN_FORMS[field as keyof typeof IN_FORMS].name
    : Object.hasOwn(OTHERS, field)
      ? OTHERS[field]!
      : field;
}
