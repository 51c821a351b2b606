import { graphql } from '../../api/generated';

graphql(`
  fragment ScheduledRow on ScheduledEvent {
    id
    databaseId
    eventType
    deliverAt
    status
    idempotencyKey
    orderingKey
    eventId
    error
    createdAt
    finishedAt
    erasedAt
  }
`);

export const SCHEDULED_EVENTS = graphql(`
  query ScheduledEvents($filter: ScheduledEventFilter, $after: String) {
    scheduledEvents(first: 50, after: $after, filter: $filter) {
      edges { node { ...ScheduledRow } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const SCHEDULED_EVENT = graphql(`
  query ScheduledEvent($id: ID!) {
    scheduledEvent(id: $id) { ...ScheduledRow body }
  }
`);

export const CANCEL_SCHEDULED_EVENT = graphql(`
  mutation CancelScheduledEvent($input: CancelScheduledEventInput!) {
    cancelScheduledEvent(input: $input) { scheduledEvent { ...ScheduledRow } }
  }
`);
