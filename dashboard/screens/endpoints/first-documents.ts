import { graphql } from '../../api/generated';

/** Documents of the first screens of portal and console. Every first visit loads them: all else is in documents.ts. */

graphql(`
  fragment EndpointRow on Webhook {
    id
    databaseId
    ...EndpointFields
    active
    disabledReason
    disabledAt
    holdUntil
    closedUntil
    consecutiveFailures
    heldCount
    lastSuccessAt
    lastFailureAt
    version
  }
`);

export const ENDPOINTS = graphql(`
  query Endpoints($after: String) {
    webhooks(first: 100, after: $after) {
      edges { node { ...EndpointRow lastDay { start attempts failures p95Ms } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const ENDPOINT_UPDATES = graphql(`
  subscription EndpointUpdates($id: ID) {
    webhookUpdated(id: $id) { cursor resync webhookId webhook { ...EndpointRow } }
  }
`);

export const EVENT_TYPES = graphql(`
  query OfferedEventTypes {
    eventTypes { id name description deprecatedAt reserved }
  }
`);

export const SEND_TEST = graphql(`
  mutation SendEndpointTest($input: TestWebhookInput!) {
    testWebhook(input: $input) { delivery { ...DeliveryRow } }
  }
`);
