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

/** The keys by name, for filtering and for saying who did something. */
export const KEY_NAMES = graphql(`
  query KeyNames {
    apiKeys(first: 100) { edges { node { id name } } }
  }
`);
