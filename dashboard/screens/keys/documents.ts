import { graphql } from '../../api/generated';

graphql(`
  fragment KeyRow on ApiKey {
    id
    databaseId
    name
    scopes
    createdAt
    expiresAt
    lastUsedAt
    revokedAt
    consoleSession
  }
`);

export const KEYS = graphql(`
  query Keys($after: String, $filter: ApiKeyFilter) {
    apiKeys(first: 50, after: $after, filter: $filter) {
      edges { node { ...KeyRow } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const CREATE_KEY = graphql(`
  mutation CreateKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { key apiKey { ...KeyRow } }
  }
`);

export const REVOKE_KEY = graphql(`
  mutation RevokeKey($id: ID!) {
    revokeApiKey(input: { id: $id }) { apiKey { ...KeyRow } }
  }
`);
