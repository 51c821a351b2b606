import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { EndpointLink } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Failure } from '../../parts/page';
import { Link, useGo } from '../../parts/place';
import { WebhookBadge } from '../../parts/status';
import { useAllowed } from '../../parts/viewer';
import { SUBSCRIBERS } from './documents';

/** The endpoints that get events of a type. */
export function Subscribers({ name }: { name: string }) {
  const { t } = useLingui();
  const go = useGo();
  const mayAdd = useAllowed('webhooks:edit');
  const [after, setAfter] = usePage();
  const [{ data, error, fetching }, read] = useQuery({
    query: SUBSCRIBERS,
    variables: { name, after },
  });
  const columns = useColumns();
  const rows = data?.webhooks?.edges.map(({ node }) => node) ?? [];
  return (
    <Card flush title={<Trans>Subscribers</Trans>}>
      {error && <Failure error={error} retry={read} />}
      {data?.webhooks && rows.length === 0 && (
        <div className="flex flex-col items-center gap-3 px-3.5 py-6 text-center text-sm text-soft">
          <Trans>No endpoint is subscribed to it.</Trans>
          {mayAdd && (
            <Link to="/endpoints/new" search={{ type: name }} className={buttonLook()}>
              <Trans>Add an endpoint</Trans>
            </Link>
          )}
        </div>
      )}
      {data?.webhooks && rows.length > 0 && (
        <>
          <List
            label={t`Subscribers`}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={({ databaseId }) => go(`/endpoints/${databaseId}`)}
          />
          <More shown={rows.length} page={data.webhooks.pageInfo} busy={fetching} onMore={setAfter} />
        </>
      )}
    </Card>
  );
}

function useColumns(): Column<EndpointRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      { name: t`Endpoint`, wide: true, render: (row) => <EndpointLink webhook={row} /> },
      {
        name: t`Subscription`,
        card: 'unnamed',
        from: 'sm',
        render: ({ eventTypes }) => (
          <span className="text-xs text-faint">{eventTypes.includes('*') ? t`all types` : t`this type`}</span>
        ),
      },
      { name: t`State`, card: 'unnamed', render: (row) => <WebhookBadge webhook={row} /> },
    ],
    [t],
  );
}
