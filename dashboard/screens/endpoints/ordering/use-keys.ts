import { useQuery } from 'urql';
import type { OrderingKeysQuery } from '../../../api/generated/graphql';
import { useReadAgain } from '../../../parts/refresh';
import { useAllowed } from '../../../parts/viewer';
import { ORDERING_KEYS } from '../../blocked-keys/documents';
import type { ShownEndpoint } from '../use-endpoint';

export type Key = NonNullable<NonNullable<OrderingKeysQuery['webhook']>['orderingKeys']>[number];

/** The keys of an endpoint, blocked ones first, and those with the most waiting deliveries. */
export interface Keys {
  keys: readonly Key[];
  readAgain: () => void;
}

/**
 * The keys of an endpoint that has an order, kept up to date. They are asked for together with the endpoint, so that
 * nothing moves when they come.
 *
 * @param endpoint undefined until it is read
 * @returns undefined until the keys of an ordered endpoint are read
 */
export function useKeys(id: string, endpoint: ShownEndpoint | undefined): Keys | undefined {
  const mayRead = useAllowed('deliveries:read');
  const isOrdered = endpoint !== undefined && (endpoint.ordering.by !== 'NONE' || (endpoint.backlog?.waiting ?? 0) > 0);
  const [{ data, error }, read] = useQuery({ query: ORDERING_KEYS, variables: { id }, pause: !mayRead });
  const readAgain = () => read({ requestPolicy: 'network-only' });
  useReadAgain(readAgain, isOrdered && mayRead);
  const isRead = !mayRead || !isOrdered || data !== undefined || error !== undefined;
  return isRead ? { keys: data?.webhook?.orderingKeys ?? [], readAgain } : undefined;
}
