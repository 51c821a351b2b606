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
    beginsAt
    webhook { id databaseId name url externalId active }
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

/** The mutations that start an operation, or count what it would do: the result of each is named `run`. */
export const RECOVER = graphql(`
  mutation Recover($input: RecoverWebhookInput!) {
    run: recoverWebhook(input: $input) { total totalCapped leftOut bulkOperation { ...OperationRow } }
  }
`);

export const REPLAY = graphql(`
  mutation Replay($input: ReplayEventsInput!) {
    run: replayEvents(input: $input) { total totalCapped leftOut bulkOperation { ...OperationRow } }
  }
`);

export const CANCEL_DELIVERIES = graphql(`
  mutation CancelDeliveries($input: CancelDeliveriesInput!) {
    run: cancelDeliveries(input: $input) { total totalCapped leftOut bulkOperation { ...OperationRow } }
  }
`);

export const RECOVER_DELIVERIES = graphql(`
  mutation RecoverDeliveries($input: RecoverDeliveriesInput!) {
    run: recoverDeliveries(input: $input) { total totalCapped leftOut bulkOperation { ...OperationRow } }
  }
`);

export const ATTEMPT_MATCHING = graphql(`
  mutation AttemptMatching($input: AttemptNowInput!) {
    run: attemptNow(input: $input) { total totalCapped leftOut bulkOperation { ...OperationRow } }
  }
`);

export const ERASE_EVENTS = graphql(`
  mutation EraseEvents($input: EraseEventsInput!) {
    run: eraseEvents(input: $input) { total totalCapped bulkOperation { ...OperationRow } }
  }
`);
