import { graphql } from '../../api/generated';

graphql(`
  fragment OperationRow on BulkOperation {
    id
    databaseId
    kind
    status
    filter
    total
    processed
    affected
    skipped
    progress
    error
    createdAt
    finishedAt
    webhook { id databaseId url active }
  }
`);

export const OPERATIONS = graphql(`
  query Operations($filter: BulkOperationFilter, $after: String) {
    bulkOperations(first: 50, after: $after, filter: $filter) {
      edges { node { ...OperationRow } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const OPERATION = graphql(`
  query Operation($id: ID!) {
    bulkOperation(id: $id) { ...OperationRow }
  }
`);

export const CANCEL_OPERATION = graphql(`
  mutation CancelOperation($input: CancelBulkOperationInput!) {
    cancelBulkOperation(input: $input) { bulkOperation { ...OperationRow } }
  }
`);

export const RESUME_OPERATION = graphql(`
  mutation ResumeOperation($input: ResumeBulkOperationInput!) {
    resumeBulkOperation(input: $input) { bulkOperation { ...OperationRow } }
  }
`);
