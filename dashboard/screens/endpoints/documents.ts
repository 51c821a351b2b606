import { graphql } from '../../api/generated';

graphql(`
  fragment EndpointRow on Webhook {
    id
    databaseId
    url
    active
    disabledReason
    disabledAt
    holdUntil
    closedUntil
    consecutiveFailures
    eventTypes
    heldCount
    lastSuccessAt
    lastFailureAt
    version
  }
`);

export const ENDPOINTS = graphql(`
  query Endpoints($filter: WebhookFilter, $after: String, $since: DateTime!) {
    webhooks(first: 9, after: $after, filter: $filter) {
      edges {
        node {
          ...EndpointRow
          stats(since: $since, resolution: HOUR) {
            buckets { start attempts failures }
            total { attempts failures successRate p95Ms }
          }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const ENDPOINT_UPDATES = graphql(`
  subscription EndpointUpdates {
    webhookUpdated { cursor resync webhookId webhook { ...EndpointRow } }
  }
`);
