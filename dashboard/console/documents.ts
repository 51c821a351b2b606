import { graphql } from '../api/generated';

export const FIND_TENANT = graphql(`
  query FindTenant($id: ID!, $byId: Boolean!, $name: String!) {
    tenant(id: $id) @include(if: $byId) { id databaseId name }
    tenants(first: 10, filter: { name: $name }) { edges { node { id databaseId name } } }
  }
`);
