import { graphql } from '../api/generated';

export const FIND_TENANTS = graphql(`
  query FindTenants($text: String!, $first: Int!) {
    tenants(first: $first, filter: { search: $text }) { edges { node { id databaseId name } } }
  }
`);
