import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useQuery, useSubscription } from 'urql';
import type { EndpointsQuery } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { Select } from '../../parts/field';
import { type Column, List, More } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { Sparkline } from '../../parts/sparkline';
import { WebhookBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count, countUpTo, duration, percent } from '../../text/numbers';
import { ENDPOINT_UPDATES, ENDPOINTS } from './documents';

type Row = NonNullable<EndpointsQuery['webhooks']>['edges'][number]['node'];

/** The endpoints of a tenant, those first that need somebody. */
export default function Endpoints() {
  const { t } = useLingui();
  const go = useGo();
  const mayCreate = useAllowed('webhooks:edit');
  const [address, setAddress] = useAddress();
  const [after, setAfter] = useState<string>();
  const since = useMemo(() => new Date(Date.now() - 23 * 3_600_000).toISOString(), []);
  const active = { active: true, inactive: false }[address['state'] ?? ''];
  const [{ data, error, fetching }, again] = useQuery({
    query: ENDPOINTS,
    variables: { since, after: after ?? null, filter: active === undefined ? null : { active } },
  });
  useSubscription({ query: ENDPOINT_UPDATES });
  const columns = useColumns();
  const rows = data?.webhooks?.edges.map(({ node }) => node) ?? [];
  const filtered = active !== undefined;
  return (
    <>
      <PageHead
        title={t`Endpoints`}
        actions={
          <>
            <Select
              label={t`State`}
              value={address['state'] ?? 'all'}
              onChange={(state) => setAddress({ state: state === 'all' ? undefined : state })}
              options={[
                { value: 'all', name: t`Any state` },
                { value: 'active', name: t`Active` },
                { value: 'inactive', name: t`Paused or disabled` },
              ]}
            />
            {mayCreate && (
              <Link to="/endpoints/new" className={buttonLook('primary')}>
                <Plus aria-hidden />
                <Trans>Add an endpoint</Trans>
              </Link>
            )}
          </>
        }
      />
      {error && <Failure error={error} retry={again} />}
      {data?.webhooks && (
        <Card flush>
          {rows.length === 0 ? (
            <Empty
              title={
                filtered ? (
                  <Trans>No endpoint is in this state.</Trans>
                ) : (
                  <Trans>There is no endpoint yet.</Trans>
                )
              }
              action={
                !filtered &&
                mayCreate && (
                  <Link to="/endpoints/new" className={buttonLook('primary')}>
                    <Plus aria-hidden />
                    <Trans>Add an endpoint</Trans>
                  </Link>
                )
              }
            >
              {!filtered && (
                <Trans>An endpoint is a url of yours that events are sent to as they happen.</Trans>
              )}
            </Empty>
          ) : (
            <>
              <List
                label={t`Endpoints`}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                onOpen={({ databaseId }) => go(`/endpoints/${databaseId}`)}
              />
              <More
                shown={rows.length}
                more={data.webhooks.pageInfo.hasNextPage}
                busy={fetching}
                onMore={() => setAfter(data.webhooks?.pageInfo.endCursor ?? undefined)}
              />
            </>
          )}
        </Card>
      )}
    </>
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Endpoint`,
        wide: true,
        render: ({ databaseId, url }) => (
          <Link to={`/endpoints/${databaseId}`} className="font-medium text-ink no-underline hover:underline">
            <Untrusted text={url.replace(/^https:\/\//, '')} />
          </Link>
        ),
      },
      { name: t`State`, render: (row) => <WebhookBadge webhook={row} /> },
      {
        name: t`Last 24 hours`,
        from: 'md',
        render: ({ stats }) =>
          stats && (
            <Sparkline
              buckets={stats.buckets}
              label={t`${count(stats.total.attempts)} attempts, ${count(stats.total.failures)} failed`}
            />
          ),
      },
      {
        name: t`Attempts`,
        figures: true,
        from: 'lg',
        render: ({ stats }) => count(stats?.total.attempts ?? 0),
      },
      {
        name: t`Success`,
        figures: true,
        from: 'sm',
        render: ({ stats }) => percent(stats?.total.successRate),
      },
      { name: t`p95`, figures: true, from: 'lg', render: ({ stats }) => duration(stats?.total.p95Ms) },
      {
        name: t`Last success`,
        from: 'md',
        render: ({ lastSuccessAt }) =>
          lastSuccessAt ? <Time value={lastSuccessAt} /> : <span className="text-faint">{t`never`}</span>,
      },
      {
        name: t`Held`,
        figures: true,
        render: ({ heldCount }) =>
          heldCount === 0 ? (
            <span className="text-faint">0</span>
          ) : (
            <span className="font-medium text-warn">{countUpTo(heldCount, 1_000)}</span>
          ),
      },
    ],
    [t],
  );
}
