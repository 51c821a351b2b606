import { useMemo } from 'react';
import { useQuery, useSubscription } from 'urql';
import type { DeliveryRowFragment, EndpointQuery } from '../../api/generated/graphql';
import { useRefresh, useThrottled } from '../../parts/refresh';
import { ENDPOINT, ENDPOINT_UPDATES, LATEST_FAILURES, TEST_UPDATES } from './documents';
import { groupFailures } from './endpoint-answer';

export type ShownEndpoint = NonNullable<EndpointQuery['webhook']>;

/** How often it is read again while its deliveries change, and while nothing tells of a change. */
const READ_EVERY_MS = 3_000;
const READ_ALWAYS_EVERY_MS = 15_000;
const HOUR_MS = 3_600_000;

type Edges = { edges: readonly { node: DeliveryRowFragment }[] } | null | undefined;

const nodesOf = (list: Edges) => list?.edges.map(({ node }) => node) ?? [];

/**
 * An endpoint with its latest deliveries, kept up to date.
 *
 * @param number as in the address.
 */
export function useEndpoint(number: string) {
  const id = `wh_${number}`;
  const [{ data, error, fetching }, again] = useQuery({ query: ENDPOINT, variables: { id } });
  const read = () => again({ requestPolicy: 'network-only' });
  const readSoon = useThrottled(read, READ_EVERY_MS);
  useRefresh(readSoon, READ_ALWAYS_EVERY_MS);
  useSubscription({ query: ENDPOINT_UPDATES, variables: { id } }, (_, update) => {
    readSoon();
    return update;
  });
  useSubscription({ query: TEST_UPDATES, variables: { webhookId: id } }, (_, update) => {
    readSoon();
    return update;
  });
  return { endpoint: data?.webhook ?? undefined, error, fetching, read };
}

/** Why its deliveries have failed lately: by error code, the latest one of all, and the next time that one is due. */
export function useTroubles(endpoint: ShownEndpoint) {
  const { id, active, consecutiveFailures, lastFailureAt, closedUntil } = endpoint;
  const inTrouble = !active || consecutiveFailures > 0 || closedUntil != null;
  const failedAt = lastFailureAt == null ? 0 : Date.parse(lastFailureAt);
  const variables = useMemo(
    () => ({
      id,
      since: new Date(failedAt - HOUR_MS).toISOString(),
      until: new Date(failedAt + 1_000).toISOString(),
    }),
    [id, failedAt],
  );
  const [{ data }] = useQuery({ query: LATEST_FAILURES, variables, pause: !inTrouble || failedAt === 0 });
  const { redirects, refusals, faults, unanswered } = data?.webhook ?? {};
  const pending = nodesOf(endpoint.pending);
  const recent = [...nodesOf(endpoint.latest), ...pending, ...nodesOf(endpoint.failed)];
  const failed = [...recent, ...[redirects, refusals, faults, unanswered].flatMap(nodesOf)].filter(
    ({ lastErrorCode }) => lastErrorCode != null,
  );
  const due = pending.flatMap(({ nextAttemptAt }) => (nextAttemptAt == null ? [] : [nextAttemptAt]));
  return {
    groups: groupFailures(failed),
    latestFailed: failed.toSorted((a, b) => b.databaseId - a.databaseId)[0],
    /** The next times of those that are pending, the earliest first. */
    nextTimes: due.toSorted((a, b) => Date.parse(a) - Date.parse(b)),
  };
}
