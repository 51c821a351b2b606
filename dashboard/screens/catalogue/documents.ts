import { graphql } from '../../api/generated';

/** The endpoints that get events of a type: those with `*` too. */
export const SUBSCRIBERS = graphql(`
  query Subscribers($name: String!, $after: String) {
    webhooks(first: 50, after: $after, filter: { eventType: $name }) {
      edges { node { ...EndpointRow } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** Which types the tenant's endpoints name. */
export const SUBSCRIPTIONS = graphql(`
  query Subscriptions {
    webhooks(first: 100) { edges { node { id eventTypes } } }
  }
`);

/** The endpoints that an event can be sent to by hand: a paused one gets none. */
export const TEST_TARGETS = graphql(`
  query TestTargets {
    webhooks(first: 100, filter: { active: true }) { edges { node { ...EndpointRow } } }
  }
`);

export const EMIT = graphql(`
  mutation EmitFromCatalogue($input: EmitEventInput!) {
    emitEvent(input: $input) { event { id databaseId } }
  }
`);

export const SCHEDULE = graphql(`
  mutation ScheduleFromCatalogue($input: ScheduleEventInput!) {
    scheduleEvent(input: $input) { scheduledEvent { ...ScheduledRow } }
  }
`);
