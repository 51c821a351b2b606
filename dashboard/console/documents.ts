import { graphql } from '../api/generated';

export const FIND_TENANTS = graphql(`
  query FindTenants($text: String!, $first: Int!) {
    tenants(first: $first, filter: { search: $text }) { edges { node { id databaseId name externalId } } }
  }
`);

export const TENANT_OF = graphql(`
  query TenantOfExternalId($externalId: String!) {
    tenant(externalId: $externalId) { id databaseId }
  }
`);
