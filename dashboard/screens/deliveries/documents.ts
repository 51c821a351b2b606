import { graphql } from '../../api/generated';

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
    webhook { id databaseId url }
  }
`);

export const DELIVERIES = graphql(`
  query Deliveries($filter: DeliveryFilter, $after: String) {
    deliveries(first: 50, after: $after, filter: $filter) {
      edges { node { ...DeliveryRow } }
      pageInfo { hasNextPage endCursor }
    }
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
