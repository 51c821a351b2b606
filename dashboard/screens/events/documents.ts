import { graphql } from '../../api/generated';

graphql(`
  fragment EventRow on Event {
    id
    databaseId
    eventType
    createdAt
    onlyWebhookId
    erasedAt
  }
`);

export const EVENTS = graphql(`
  query Events($filter: EventFilter, $after: String, $deliveries: Boolean!, $text: String) {
    events(first: 50, after: $after, filter: $filter) {
      edges {
        node {
          ...EventRow
          preview(contains: $text) { values { path value } excerpt }
          deliveries(first: 10) @include(if: $deliveries) {
            edges { node { id status } }
            pageInfo { hasNextPage }
          }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const EVENT = graphql(`
  query Event($id: ID!) {
    event(id: $id) { ...EventRow body previousBody }
  }
`);

export const FAN_OUT = graphql(`
  query FanOut($id: ID!, $after: String) {
    event(id: $id) {
      ...EventRow
      fanOut(first: 50, after: $after) {
        edges {
          node {
            webhookId
            reason
            failedCondition { path op value negated pointer }
            webhook { id databaseId name url externalId active eventTypes }
            delivery { ...DeliveryRow }
          }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const TYPE_VERSIONS = graphql(`
  query TypeVersions($name: String!) {
    eventType(name: $name) { id name versions { version createdAt } }
  }
`);

export const ERASE_EVENT = graphql(`
  mutation EraseEvent($input: EraseEventInput!) {
    eraseEvent(input: $input) { event { ...EventRow } scheduledEvent { ...ScheduledRow } }
  }
`);
