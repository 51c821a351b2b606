import { graphql } from '../../api/generated';
import type { DeliveryQuery } from '../../api/generated/graphql';

export type Delivery = NonNullable<DeliveryQuery['delivery']>;
export type Attempt = Delivery['attempts'][number];

graphql(`
  fragment DeliveryRow on Delivery {
    id
    databaseId
    status
    eventType
    eventId
    webhookId
    attemptCount
    lastStatusCode
    lastErrorCode
    nextAttemptAt
    createdAt
    finishedAt
    cancelReason
    webhook { id databaseId name url externalId }
  }
`);

export const DELIVERIES = graphql(`
  query Deliveries($filter: DeliveryFilter, $first: Int = 50, $after: String) {
    deliveries(first: $first, after: $after, filter: $filter) {
      edges { node { ...DeliveryRow } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** The payloads of rows that are seen, in few words. */
export const PREVIEWS = graphql(`
  query Previews($ids: [ID!]!, $text: String) {
    nodes(ids: $ids) { id ... on Event { preview(contains: $text) { values { path value } excerpt } } }
  }
`);

export const DELIVERY_COUNTS = graphql(`
  query DeliveryCounts($filter: DeliveryFilter) {
    deliveryCounts(filter: $filter) { all retrying failed lastAttemptFailed held delivered }
  }
`);

export const DELIVERY_UPDATES = graphql(`
  subscription DeliveryUpdates($webhookId: ID, $eventType: String, $status: DeliveryStatus) {
    deliveryUpdated(webhookId: $webhookId, eventType: $eventType, status: $status) {
      cursor
      resync
      delivery { ...DeliveryRow }
    }
  }
`);

/** The options of the filters: endpoints and event types by name. */
export const FILTER_CHOICES = graphql(`
  query FilterChoices {
    webhooks(first: 100) { edges { node { id databaseId name url externalId } } }
    eventTypes { id name }
  }
`);

export const DELIVERY = graphql(`
  query Delivery($id: ID!) {
    delivery(id: $id) {
      ...DeliveryRow
      isCheck
      orderingKey
      waitsFor { id databaseId status }
      settlesUntil
      supersededBy { id databaseId }
      webhook { id databaseId name url externalId active disabledReason holdUntil closedUntil previousSecretExpiresAt content { format } ordering { onFailure } delivery { tls { clientCertificate { subject } } } }
      attempts {
        id
        number
        startedAt
        durationMs
        dnsMs
        connectMs
        tlsMs
        firstByteMs
        statusCode
        errorCode
        url
      }
    }
  }
`);

/** The request and the answer of an attempt. The body is the event's, which may need other rights. */
export const ATTEMPT = graphql(`
  query Attempt($id: ID!, $payloads: Boolean!) {
    node(id: $id) {
      id
      ... on Attempt {
        number
        method
        url
        statusCode
        errorCode
        tokenFailure { code }
        requestHeaders
        requestBody @include(if: $payloads)
        responseHeaders
        responseBody
        responseBodyBase64
        responseTruncated
      }
    }
  }
`);

export const AS_CURL = graphql(`
  query AsCurl($id: ID!, $redacted: Boolean!) {
    delivery(id: $id) { id asCurl(redactSignature: $redacted) }
  }
`);

export const REDELIVER = graphql(`
  mutation Redeliver($input: RedeliverInput!) {
    redeliver(input: $input) { delivery { ...DeliveryRow } }
  }
`);

/** Chosen deliveries; `closedUntil` says until when an endpoint asked for a pause. */
export const ATTEMPT_NOW = graphql(`
  mutation AttemptNow($input: AttemptNowInput!) {
    attemptNow(input: $input) { total deliveries { ...DeliveryRow webhook { id closedUntil } } }
  }
`);

export const CANCEL_DELIVERY = graphql(`
  mutation CancelDelivery($input: CancelDeliveryInput!) {
    cancelDelivery(input: $input) { delivery { ...DeliveryRow } }
  }
`);

/** Where an event can be sent: an endpoint must be active. */
export const TARGETS = graphql(`
  query Targets {
    webhooks(first: 100, filter: { active: true }) { edges { node { id databaseId name url externalId } } }
  }
`);
