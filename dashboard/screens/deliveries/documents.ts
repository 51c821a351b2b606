import { graphql } from '../../api/generated';

graphql(`
  fragment DeliveryRow on Delivery {
    id
    databaseId
    status
    eventType
    eventId
    webhookId
    path
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
