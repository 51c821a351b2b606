import { graphql } from '../../api/generated';

graphql(`
  fragment Limited on Tenant {
    id
    limits { eventsPerSecond requestsPerSecond requestsAtOnce endpointsMax bodyBytesMax reason }
    limitedSince
  }
`);

// The cache joins lists that differ by their length alone: this one is as long as that of the endpoints' screen.
export const OVERVIEW = graphql(`
  query Overview($since: DateTime!, $until: DateTime, $deliveries: Boolean!) {
    webhooks(first: 100) {
      edges { node { ...EndpointRow ordering { onFailure } } }
      pageInfo { hasNextPage }
    }
    inactive: webhooks(first: 50, filter: { active: false }) {
      edges { node { ...EndpointRow } }
    }
    backlog { due scheduled held waiting oldestDueAt countMax }
    viewer { tenant { ...Limited } }
    closedBacklog { due webhooks until oldestOtherDueAt }
    stats(since: $since, until: $until) @include(if: $deliveries) {
      since
      until
      buckets { start successes failures p50Ms p95Ms p99Ms }
      total { attempts successes failures successRate p50Ms p95Ms p99Ms }
    }
    now: deliveryCounts @include(if: $deliveries) { retrying }
    inRange: deliveryCounts(filter: { since: $since, until: $until }) @include(if: $deliveries) {
      delivered
      lastAttemptFailed
    }
    any: deliveries(first: 1) @include(if: $deliveries) {
      edges { node { ...DeliveryRow } }
    }
    failed: deliveries(first: 8, filter: { status: FAILED, since: $since, until: $until }) @include(if: $deliveries) {
      edges { node { ...DeliveryRow } }
    }
  }
`);

/** Whether a key is blocked, for endpoints that block one after a failure. */
export const STOPPED = graphql(`
  query Stopped($ids: [ID!]!) {
    nodes(ids: $ids) { id ... on Webhook { orderingKeys(blocked: true, first: 1) { key } } }
  }
`);
