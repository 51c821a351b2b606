import { useQuery, useSubscription } from 'urql';
import type { DeliveryRowFragment, EndpointQuery } from '../../api/generated/graphql';
import { useRefresh, useThrottled } from '../../parts/refresh';
import { ENDPOINT, TEST_UPDATES } from './documents';
import { ENDPOINT_UPDATES } from './first-documents';

export type ShownEndpoint = NonNullable<EndpointQuery['webhook']>;

export type SigningKey = NonNullable<EndpointQuery['viewer']['tenant']>['signingKeys'][number];

/** The operator's limits for all endpoints of the tenant together. */
export type RequestLimits = NonNullable<EndpointQuery['viewer']['tenant']>['limits'];

/** Properties of every dialog of an endpoint. */
export interface EndpointDialogProps {
  endpoint: ShownEndpoint;
  onClose: () => void;
}

/** Properties of every group of an endpoint's settings. */
export interface SettingsProps {
  endpoint: ShownEndpoint;
  /** Whether the page's caller may change the group. */
  maySet: boolean;
}

/** How often it is read again: while its deliveries change, and while no update reports a change. */
const READ_EVERY_MS = 3_000;
const READ_ALWAYS_EVERY_MS = 15_000;

/**
 * An endpoint with its latest deliveries, kept up to date.
 *
 * @param number as in the address.
 */
export function useEndpoint(number: string) {
  const id = `wh_${number}`;
  const [{ data, error }, read] = useQuery({ query: ENDPOINT, variables: { id } });
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
  // The values that come from its tenant, where it has none of its own.
  const inherited = data?.viewer.tenant?.deliveryDefaults.own ?? [];
  const signingKeys = data?.viewer.tenant?.signingKeys ?? [];
  const limits = data?.viewer.tenant?.limits;
  return { endpoint: data?.webhook ?? undefined, inherited, signingKeys, limits, error, read };
}

/**
 * Why its attempts fail now: the reason of the delivery that is tried again next, else of the latest one that failed,
 * else the most frequent one of late. A check has no part in that: it leaves the endpoint as it is.
 */
export function troubleOf(endpoint: ShownEndpoint): { errorCode: string; delivery?: DeliveryRowFragment } | null {
  const { nextAttempts, latest, failed, failures } = endpoint;
  const known = [...(latest?.edges ?? []), ...(failed?.edges ?? [])]
    .map(({ node }) => node)
    .filter(({ isCheck }) => !isCheck);
  const delivery = [...known, ...(nextAttempts ?? [])]
    .filter(({ lastErrorCode }) => lastErrorCode != null)
    .toSorted((a, b) => b.databaseId - a.databaseId)[0];
  if (delivery?.lastErrorCode != null) {
    return { errorCode: delivery.lastErrorCode, delivery };
  }
  const [most] = failures ?? [];
  return most === undefined ? null : { errorCode: most.errorCode };
}
