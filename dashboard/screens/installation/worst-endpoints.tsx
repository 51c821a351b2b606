import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { TopWebhooksBy, WorstEndpointsQuery } from '../../api/generated/graphql';
import { AddressSelect } from '../../parts/address-select';
import { type Column, List, NoValue } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { useAddress, useGo } from '../../parts/place';
import { useRefresh } from '../../parts/refresh';
import { Segments } from '../../parts/segments';
import { TableSkeleton } from '../../parts/skeleton';
import { DaySparkline } from '../../parts/sparkline';
import { WebhookBadge } from '../../parts/status';
import { count, countUpTo, duration, percent } from '../../text/numbers';
import { EndpointOfTenant, pathOf, TenantLink } from './of-tenant';
import { Failures, Ranked, Wait } from './rankings';
import { WORST } from './worst-documents';

type Row = NonNullable<NonNullable<WorstEndpointsQuery['installation']>['topWebhooks']>[number];

const HOURS = { '1h': 1, '24h': 24, '7d': 167 } as const;

/** The API counts at most this many for one webhook. */
const DUE_MAX = 250;

const EVERY_MS = 30_000;

/** The endpoints of all tenants by their load over time. Those that fail now are on the installation's screen. */
export default function WorstEndpoints() {
  const { t } = useLingui();
  const go = useGo();
  const [address, setAddress] = useAddress();
  const rankings = useRankings();
  const { by: asked = '', range: wanted = '' } = address;
  const by = (Object.hasOwn(rankings, asked) ? asked : 'FAILURES') as TopWebhooksBy;
  const range = Object.hasOwn(HOURS, wanted) ? wanted : '24h';
  const since = useMemo(() => {
    const from = Date.now() - HOURS[range as keyof typeof HOURS] * 3_600_000;
    return new Date(Math.floor(from / 60_000) * 60_000).toISOString();
  }, [range]);
  const [{ data, error }, again] = useQuery({ query: WORST, variables: { by, since } });
  useRefresh(again, EVERY_MS);
  const columns = useColumns();
  const rows = data?.installation?.topWebhooks;
  const { FAILURES: any, ...others } = rankings;
  return (
    <>
      <PageHead
        title={t`Endpoint ranking`}
        actions={
          <>
            <AddressSelect
              name="by"
              label={t`Ranked by`}
              any={any}
              options={Object.entries(others).map(([value, name]) => ({ value, name }))}
            />
            <RangeChoice value={range} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={again} />}
        {data === undefined && error === undefined && <TableSkeleton />}
        {rows && (
          <Card flush>
            <List
              label={t`Endpoint ranking`}
              columns={columns}
              rows={rows}
              keyOf={({ webhookId }) => webhookId}
              onOpen={(row) => go(pathOf(row))}
              sort={{ by, onSort: (next) => setAddress({ by: next === 'FAILURES' ? undefined : next }) }}
              more={<Ranked shown={rows.length} />}
              empty={
                <Empty title={<Trans>No endpoint stands out.</Trans>}>
                  <Trans>Nothing to rank in this range. It excludes the last two minutes.</Trans>
                </Empty>
              }
            />
          </Card>
        )}
      </div>
    </>
  );
}

function RangeChoice({ value }: { value: string }) {
  const { t } = useLingui();
  const [, setAddress] = useAddress();
  return (
    <Segments
      label={t`Range`}
      value={value}
      onChange={(next) => setAddress({ range: next === '24h' ? undefined : next })}
      options={[
        { value: '1h', name: t`1 h` },
        { value: '24h', name: t`24 h` },
        { value: '7d', name: t`7 d` },
      ]}
    />
  );
}

/** The words for each order, which the headings choose too. */
function useRankings(): Record<TopWebhooksBy, string> {
  const { t } = useLingui();
  return {
    FAILURES: t`Most failures`,
    ATTEMPTS: t`Most attempts`,
    LATENCY: t`Slowest`,
    BACKLOG: t`Most due`,
    WAIT: t`Longest wait`,
  };
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      { name: t`Endpoint`, wide: true, render: (row) => <EndpointOfTenant row={row} /> },
      { name: t`Tenant`, from: 'sm', render: ({ tenant }) => <TenantLink tenant={tenant} /> },
      { name: t`State`, card: 'unnamed', render: (row) => <WebhookBadge webhook={row} /> },
      { name: t`Last 24 hours`, from: 'lg', card: 'none', render: ({ lastDay }) => <DaySparkline buckets={lastDay} /> },
      {
        name: t`Attempts`,
        figures: true,
        from: 'md',
        sort: 'ATTEMPTS',
        render: ({ figures }) => count(figures.attempts),
      },
      {
        name: t`Failed`,
        figures: true,
        sort: 'FAILURES',
        render: ({ figures: { failures } }) => <Failures failures={failures} />,
      },
      { name: t`Success`, figures: true, from: 'lg', render: ({ figures }) => percent(figures.successRate) },
      { name: t`p95`, figures: true, from: 'sm', sort: 'LATENCY', render: ({ figures }) => duration(figures.p95Ms) },
      {
        name: t`Due`,
        figures: true,
        sort: 'BACKLOG',
        render: ({ due }) => (due === 0 ? <NoValue>0</NoValue> : countUpTo(due, DUE_MAX)),
      },
      {
        name: t`Oldest wait`,
        figures: true,
        from: 'md',
        sort: 'WAIT',
        render: (row) => <Wait since={row.oldestDueAt} />,
      },
    ],
    [t],
  );
}
