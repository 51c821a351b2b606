import { useQuery } from 'urql';
import type { OverviewQuery } from '../../api/generated/graphql';
import { useReadAgain } from '../../parts/refresh';
import { useAllowed } from '../../parts/viewer';
import { STOPPED } from './documents';

type Endpoint = NonNullable<OverviewQuery['webhooks']>['edges'][number]['node'];

/** The endpoints with a key that a failed delivery blocks: their state says nothing of it. Others are not asked about. */
export function useStopped(endpoints: readonly Endpoint[]): Endpoint[] {
  const mayRead = useAllowed('deliveries:read');
  const ids = endpoints.filter(({ ordering }) => ordering.onFailure === 'BLOCK').map(({ id }) => id);
  const isAsked = mayRead && ids.length > 0;
  const [{ data }, read] = useQuery({ query: STOPPED, variables: { ids }, pause: !isAsked });
  useReadAgain(() => read({ requestPolicy: 'network-only' }), isAsked);
  const stopped = (data?.nodes ?? []).filter((node) => node && 'orderingKeys' in node && node.orderingKeys?.length);
  return isAsked ? endpoints.filter(({ id }) => stopped.some((node) => node?.id === id)) : [];
}
