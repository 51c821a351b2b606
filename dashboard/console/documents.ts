import { graphql } from '../api/generated';

export const FIND_TENANT = graphql(`
  query FindTenant($id: ID!, $byId: Boolean!, $text: String!) {
    tenant(id: $id) @include(if: $byId) { id databaseId name }
    tenants(first: 10, filter: { search: $text }) { edges { node { id databaseId name } } }
  }
`);
