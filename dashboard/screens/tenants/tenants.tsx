import { Trans, useLingui } from '@lingui/react/macro';
import { CircleX, Plus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { FAILING_COUNTED_MAX } from '../../../src/domain/deliveries/health-limits.js';
import type { TenantsQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { NameAndId, SubjectLink } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead, type Tone } from '../../parts/page';
import { useAddress, useGo } from '../../parts/place';
import { useRefresh } from '../../parts/refresh';
import { SearchBox } from '../../parts/search-box';
import { TableSkeleton } from '../../parts/skeleton';
import { Badge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count, countUpTo, percent } from '../../text/numbers';
import { CreateTenant } from './create-tenant';
import { TENANTS } from './documents';
import { SlowDown, slowDownColumn } from './slow-down';
import { worstFirst } from './worst-first';

type Tenant = NonNullable<TenantsQuery['tenants']>['edges'][number]['node'];
type Row = ReturnType<typeof worstFirst<Tenant>>[number];

const EVERY_MS = 30_000;

/** All tenants of the installation, the worst first, then the newest; each leads into its area. */
export default function Tenants() {
  const { t } = useLingui();
  const go = useGo();
  const [address] = useAddress();
  const [adding, setAdding] = useState(false);
  const [slowed, setSlowed] = useState<Row>();
  const mayAdd = useAllowed('platform:admin');
  const name = address['name'];
  const [after, setAfter] = usePage(name);
  const since = useMemo(() => new Date(Date.now() - 23 * 3_600_000).toISOString(), []);
  const [{ data, error, fetching }, again] = useQuery({
    query: TENANTS,
    variables: {
      since,
      filter: name === undefined ? null : { search: name },
      after,
    },
  });
  useRefresh(again, EVERY_MS);
  const listed = data?.tenants?.edges.map(({ node }) => node) ?? [];
  const rows = worstFirst(listed, data?.installation?.failing.tenants ?? [], name !== undefined);
  // The figure of all lacks the last minute or two, which that of a tenant has.
  const shown = rows.reduce((sum, { stats }) => sum + (stats?.total.attempts ?? 0), 0);
  const columns = useColumns(
    Math.max(data?.installation?.stats?.total.attempts ?? 0, shown),
    data?.installation?.failing ?? {},
    mayAdd ? setSlowed : null,
  );
  const add = mayAdd && (
    <Button look="primary" icon={<Plus />} onClick={() => setAdding(true)}>
      <Trans>Add a tenant</Trans>
    </Button>
  );
  return (
    <>
      <PageHead
        title={t`Tenants`}
        actions={
          <>
            <SearchBox name="name" label={t`Name or external ID`} />
            {add}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={again} />}
        {data === undefined && error === undefined && <TableSkeleton />}
        {data?.tenants && (
          <Card flush>
            <List
              label={t`Tenants`}
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ databaseId }) => go(`/tenants/${databaseId}`)}
              empty={
                <Empty
                  title={
                    name === undefined ? (
                      <Trans>No tenants</Trans>
                    ) : (
                      <Trans>
                        No tenants match “
                        <Untrusted text={name} />”
                      </Trans>
                    )
                  }
                  action={name === undefined && add}
                >
                  {name === undefined && (
                    <Trans>A tenant is one of your customers, with its own endpoints, events and keys.</Trans>
                  )}
                </Empty>
              }
              more={<More shown={rows.length} page={data.tenants.pageInfo} busy={fetching} onMore={setAfter} />}
            />
          </Card>
        )}
      </div>
      {slowed && <SlowDown tenant={slowed} onClose={() => setSlowed(undefined)} />}
      {adding && <CreateTenant onClose={() => setAdding(false)} />}
    </>
  );
}

type Counts = { [state in 'gone' | 'disabled' | 'failing']?: number | null | undefined };

/**
 * @param all how many attempts all tenants together have had, for the share of each.
 * @param counts the endpoints that fail of all tenants: of too many, not all are counted.
 * @param onSlowDown null: the reader may not limit tenants.
 */
function useColumns(
  all: number,
  { gone, disabled, failing: tried }: Counts,
  onSlowDown: ((row: Row) => void) | null,
): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Tenant`,
        wide: true,
        render: ({ databaseId, name, externalId }) => (
          <SubjectLink to={`/tenants/${databaseId}`}>
            <NameAndId name={name} externalId={externalId} />
          </SubjectLink>
        ),
      },
      {
        name: t`ID`,
        from: 'lg',
        card: 'none',
        render: ({ id }) => <code className="font-mono text-xs text-soft">{id}</code>,
      },
      { name: t`Created`, from: '2xl', card: 'none', render: ({ createdAt }) => <Time value={createdAt} /> },
      { name: t`Endpoints`, figures: true, from: 'sm', render: ({ webhookCount }) => count(webhookCount ?? 0) },
      {
        name: t`Attempts, 24 h`,
        figures: true,
        from: 'lg',
        render: ({ stats }) => count(stats?.total.attempts ?? 0),
      },
      {
        name: t`Share`,
        figures: true,
        from: 'lg',
        card: 'none',
        render: ({ stats }) => <Share part={all === 0 ? 0 : (stats?.total.attempts ?? 0) / all} />,
      },
      {
        name: t`State`,
        card: 'unnamed',
        render: ({ failing }) => <FailingEndpoints failing={failing} ofAll={{ gone, disabled, failing: tried }} />,
      },
      { name: t`Success`, figures: true, from: 'sm', render: ({ stats }) => percent(stats?.total.successRate) },
      {
        name: t`Due`,
        figures: true,
        from: 'sm',
        render: ({ backlog }) => <Waiting backlog={backlog} of="due" />,
      },
      { name: t`Held`, figures: true, render: ({ backlog }) => <Waiting backlog={backlog} of="held" /> },
      ...(onSlowDown === null ? [] : [slowDownColumn<Row>(t`Action`, onSlowDown)]),
    ],
    [t, all, gone, disabled, tried, onSlowDown],
  );
}

/** How many endpoints of a tenant are gone, disabled or failing now; at least so many if not all were counted. */
function FailingEndpoints({ failing, ofAll }: Pick<Row, 'failing'> & { ofAll: Counts }) {
  if (failing === undefined) {
    return null;
  }
  const badge = (tone: Tone, state: keyof Counts, words: (many: string) => ReactNode) =>
    failing[state] > 0 && (
      <Badge tone={tone} icon={CircleX}>
        {words(`${count(failing[state])}${(ofAll[state] ?? 0) >= FAILING_COUNTED_MAX ? '+' : ''}`)}
      </Badge>
    );
  return (
    <span className="inline-flex flex-wrap gap-1 lg:flex-nowrap">
      {badge('bad', 'gone', (many) => (
        <Trans>{many} gone</Trans>
      ))}
      {badge('bad', 'disabled', (many) => (
        <Trans>{many} disabled</Trans>
      ))}
      {badge('warn', 'failing', (many) => (
        <Trans>{many} failing</Trans>
      ))}
    </span>
  );
}

/** A tenant's share of all attempts, as a bar and a number. */
function Share({ part }: { part: number }) {
  return (
    <span className="flex items-center justify-end gap-2">
      <svg aria-hidden viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-16 max-2xl:hidden">
        <rect width="100" height="6" className="fill-sunken" />
        <rect width={Math.min(1, part) * 100} height="6" className="fill-accent" />
      </svg>
      <span className="w-12">{percent(part)}</span>
    </span>
  );
}

function Waiting({ backlog, of }: { backlog: Row['backlog']; of: 'due' | 'held' }) {
  const number = backlog?.[of] ?? 0;
  const look = number === 0 ? 'text-faint' : of === 'held' ? 'font-medium text-warn' : '';
  return <span className={look}>{countUpTo(number, backlog?.countMax ?? 1)}</span>;
}
