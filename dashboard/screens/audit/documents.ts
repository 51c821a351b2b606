import { graphql } from '../../api/generated';
import type { AuditLogQuery } from '../../api/generated/graphql';

export type AuditRow = NonNullable<AuditLogQuery['auditLog']>['edges'][number]['node'];

export const AUDIT_LOG = graphql(`
  query AuditLog($after: String, $filter: AuditLogFilter) {
    auditLog(first: 50, after: $after, filter: $filter) {
      edges {
        node {
          id
          databaseId
          createdAt
          actor
          action
          targetType
          targetId
          apiKeyId
          before
          after
          requestId
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** Names for ids: of the keys, for filtering too, and of what else is changed. */
export const NAMES = graphql(`
  query AuditNames($webhooks: Boolean!, $tenants: Boolean!) {
    apiKeys(first: 100) { edges { node { id name } } }
    webhooks(first: 100) @include(if: $webhooks) { edges { node { id name url externalId } } }
    tenants(first: 100) @include(if: $tenants) { edges { node { id name externalId } } }
  }
`);
