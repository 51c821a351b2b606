import { graphql } from '../../api/generated';

/** A few tenants at a time: payloads are searched in one after the other. */
export const SEARCHED_TENANTS = graphql(`
  query SearchedTenants($after: String, $filter: TenantFilter) {
    tenants(first: 10, after: $after, filter: $filter) {
      nodes { id databaseId name externalId }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const PAYLOADS_WITH = graphql(`
  query PayloadsWith($filter: EventFilter) {
    events(first: 5, filter: $filter) {
      nodes { id databaseId eventType createdAt body }
      pageInfo { hasNextPage }
    }
  }
`);
