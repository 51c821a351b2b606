import { graphql } from '../../api/generated';

/** The keys of an endpoint with the most waiting deliveries, blocked ones first. */
export const ORDERING_KEYS = graphql(`
  query OrderingKeys($id: ID!) {
    webhook(id: $id) {
      id
      orderingKeys { key waiting waitingSince blockedAt head { id databaseId status lastErrorCode nextAttemptAt } }
    }
  }
`);

/** The keys of an endpoint that a failed delivery blocks. */
export const BLOCKED_KEYS = graphql(`
  query BlockedKeys($id: ID!) {
    webhook(id: $id) { id orderingKeys(blocked: true, first: 100) { key waiting head { id } } }
  }
`);

export const UNBLOCK_KEY = graphql(`
  mutation UnblockKey($input: UnblockKeyInput!) {
    unblockKey(input: $input) { webhook { id } }
  }
`);
