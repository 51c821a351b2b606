import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ValuesOf } from '../../src/domain/fields/field';
import type { LIMIT_NAMES } from '../../src/domain/fields/limit-fields';
import type { webhookFields } from '../../src/domain/fields/webhook-fields';

interface FieldName {
  name: MessageDescriptor;
  /** What to write into it. */
  hint: MessageDescriptor;
}

type Table = typeof webhookFields;

/** The labels of an endpoint's fields and groups. */
export const ENDPOINT_FIELDS: Record<keyof Table | keyof ValuesOf<Table>, FieldName> = {
  url: { name: msg`URL`, hint: msg`A public address that accepts POST requests.` },
  name: { name: msg`Name`, hint: msg`Lists show it instead of the URL.` },
  description: { name: msg`Description`, hint: msg`What the endpoint is for.` },
  eventTypes: {
    name: msg`Event types`,
    hint: msg`This endpoint receives these events. You can change them at any time.`,
  },
  delivery: { name: msg`Delivery`, hint: msg`How the endpoint is called.` },
  timeoutMs: { name: msg`Timeout`, hint: msg`Seconds for a whole attempt.` },
  retryDelaysSeconds: { name: msg`Retries`, hint: msg`The delays after failed attempts, such as 5s 2m 1h.` },
  recovery: { name: msg`Recovery`, hint: msg`Who enables the endpoint after failures have disabled it.` },
  ratePerSecond: { name: msg`Requests a second`, hint: msg`0.01 to 1,000. Deliveries above it wait.` },
  concurrencyMax: {
    name: msg`Requests at a time`,
    hint: msg`Shared by all daemons (each gets at least 1).`,
  },
  method: { name: msg`Method`, hint: msg`The HTTP method of requests, usually POST.` },
  signing: { name: msg`Signed`, hint: msg`By the secret alone, or by a key pair too.` },
  headers: { name: msg`Headers`, hint: msg`Each request has them. They are not signed.` },
  auth: { name: msg`Authentication`, hint: msg`Proves to the endpoint who sends a request.` },
  tls: { name: msg`TLS`, hint: msg`The authorities that are trusted, and a client certificate.` },
  compat: { name: msg`Signature of a former system`, hint: msg`Each request has its headers too.` },
  content: { name: msg`Content`, hint: msg`Which events are sent, and in which form.` },
  format: { name: msg`Format of events`, hint: msg`The form in which events are sent.` },
  text: { name: msg`Text`, hint: msg`The text of messages, with placeholders for values of the event.` },
  template: { name: msg`Template`, hint: msg`The JSON that is sent, with placeholders for values of the event.` },
  ordering: { name: msg`Delivery order`, hint: msg`Which events wait for each other.` },
  by: { name: msg`In order`, hint: msg`An event is sent when all earlier ones have ended.` },
  keyPath: { name: msg`Key in the payload`, hint: msg`For events without an ordering key, such as order.id.` },
  keep: { name: msg`Waiting events`, hint: msg`Send all of them, or only the latest of each key.` },
  settleSeconds: {
    name: msg`Wait until quiet for`,
    hint: msg`Seconds without a newer event of the key. Empty: it is sent at once.`,
  },
  settleMaxSeconds: {
    name: msg`Wait at most`,
    hint: msg`Seconds, for a key that is never quiet. Empty: ten times as long.`,
  },
  onFailure: { name: msg`After a failure`, hint: msg`The next event is sent, or the key is blocked.` },
  filter: { name: msg`Filter`, hint: msg`Only events whose payload meets the conditions are sent.` },
  shape: { name: msg`Shape`, hint: msg`A GraphQL query that picks the fields to send.` },
  externalId: { name: msg`External ID`, hint: msg`The id of the endpoint in your own system. It is set once.` },
  metadata: { name: msg`Metadata`, hint: msg`One pair on a line, such as team: payments. Metadata are not sent.` },
};

/** The labels of a tenant's limits. */
export const LIMIT_FIELDS: Record<(typeof LIMIT_NAMES)[number], FieldName> = {
  eventsPerSecond: {
    name: msg`Events a second`,
    hint: msg`Emits beyond it are refused with 429. Events of the outbox count and are never refused.`,
  },
  requestsPerSecond: {
    name: msg`Requests a second`,
    hint: msg`To all endpoints of the tenant together. Deliveries beyond it wait.`,
  },
  requestsAtOnce: {
    name: msg`Requests at a time`,
    hint: msg`All running daemons share this number, at least 1 each.`,
  },
  endpointsMax: { name: msg`Endpoints`, hint: msg`Existing endpoints beyond it stay.` },
  bodyBytesMax: { name: msg`Bytes of a payload`, hint: msg`Longer payloads are refused, except from the outbox.` },
};
