import { useQuery } from 'urql';
import type { OrderingKeysQuery } from '../../../api/generated/graphql';
import { useReadAgain } from '../../../parts/refresh';
import { ORDERING_KEYS } from '../../blocked-keys/documents';
import type { ShownEndpoint } from '../use-endpoint';

/** As many as the query of the keys gives. */
export const KEYS_READ_MAX = 10;

export type Key = NonNullable<NonNullable<OrderingKeysQuery['webhook']>['orderingKeys']>[number];

/** The keys of an endpoint that has an order, kept up to date; none for another one. */
export function useKeys({ id, ordering, backlog }: ShownEndpoint): { keys: readonly Key[]; readAgain: () => void } {
  const isOrdered = ordering.by !== 'NONE' || (backlog?.waiting ?? 0) > 0;
  const [{ data }, read] = useQuery({ query: ORDERING_KEYS, variables: { id }, pause: !isOrdered });
  const readAgain = () => read({ requestPolicy: 'network-only' });
  useReadAgain(readAgain, isOrdered);
  return { keys: data?.webhook?.orderingKeys ?? [], readAgain };
}
