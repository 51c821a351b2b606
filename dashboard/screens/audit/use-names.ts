import { useMemo } from 'react';
import { useQuery } from 'urql';
import { endpointLabel, labelOf } from '../../parts/cells';
import { useAllowed, useViewer } from '../../parts/viewer';
import { NAMES } from './documents';

type Names = ReadonlyMap<string, string>;

/** The names of keys, and those of keys, endpoints and tenants, by their ids. The newest 100 of each are known. */
export function useNames(): { keys: Names; all: Names; isRead: boolean } {
  const { tenant } = useViewer();
  const seesWebhooks = useAllowed('webhooks:read');
  const [{ data, error }] = useQuery({
    query: NAMES,
    variables: { webhooks: tenant != null && seesWebhooks, tenants: tenant == null },
  });
  const isRead = data !== undefined || error !== undefined;
  return useMemo(() => {
    const keys = new Map(data?.apiKeys?.edges.map(({ node }) => [node.id, node.name]));
    const webhooks = data?.webhooks?.edges.map(({ node }): [string, string] => [node.id, endpointLabel(node)]) ?? [];
    const tenants =
      data?.tenants?.edges.map(({ node }): [string, string] => [node.id, labelOf(node.name, node.externalId)]) ?? [];
    return { keys, all: new Map([...keys, ...webhooks, ...tenants]), isRead };
  }, [data, isRead]);
}
