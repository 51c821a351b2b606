import { Trans, useLingui } from '@lingui/react/macro';
import { CircleCheck, CircleX, Plus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { FAILING_COUNTED_MAX } from '../../../src/domain/deliveries/health-limits.js';
import type { TenantsQuery, TopTenantsBy } from '../../api/generated/graphql';
import { AddressSelect } from '../../parts/address-select';
import { Button } from '../../parts/button';
import { ENDPOINT_SUBJECT, NameAndId } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead, type Tone } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { useRefresh } from '../../parts/refresh';
import { SearchBox } from '../../parts/search-box';
import { TableSkeleton } from '../../parts/skeleton';
import { DaySparkline, sumsOf } from '../../parts/sparkline';
import { Badge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count, countUpTo } from '../../text/numbers';
import { Failures, Ranked, Wait } from '../installation/rankings';
import { CreateTenant } from './create-tenant';
import { TENANTS, TOP_TENANTS } from './documents';
import { SlowDown, slowDownColumn } from './slow-down';
import { withFailing, worstFirst } from './worst-first';

type Tenant = NonNullable<TenantsQuery['tenants']>['edges'][number]['node'];
type Row = ReturnType<typeof worstFirst<Tenant>>[number];

const EVERY_MS = 30_000;

/** All tenants of the installation: the worst first, then the newest, or in the order of a column. */
export default function Tenants() {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const [adding, setAdding] = useState(false);
  const [slowed, setSlowed] = useState<Row>();
  const mayAdd = useAllowed('platform:admin');
  const orders = useOrders();
  const { name, by: asked = '' } = address;
  // A search has its own order.
  const by = Object.hasOwn(orders, asked) && name === undefined ? (asked as TopTenantsBy) : undefined;
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
            <div className="cards:hidden">
              <AddressSelect
                name="by"
                label={t`Order`}
                any={t`Failing first`}
                options={Object.entries(orders).map(([value, words]) => ({ value, name: words }))}
              />
            </div>
            {add}
          </>
        }
      />
      <TenantList
        name={name}
        add={add}
        by={by}
        onSlowDown={mayAdd ? setSlowed : null}
        onSort={(next) => setAddress({ by: next === by ? undefined : next, name: undefined })}
      />
      {slowed && <SlowDown tenant={slowed} onClose={() => setSlowed(undefined)} />}
      {adding && <CreateTenant onClose={() => setAdding(false)} />}
    </>
  );
}

function useOrders(): Record<TopTenantsBy, string> {
  const { t } = useLingui();
  return { FAILURES: t`Most failures`, ATTEMPTS: t`Most attempts`, BACKLOG: t`Most due`, WAIT: t`Longest wait` };
}

/** Null: the reader may not limit tenants. */
type OnSlowDown = ((row: Row) => void) | null;

interface TenantListProps {
  name: string | undefined;
  add: ReactNode;
  by: TopTenantsBy | undefined;
  onSort: (by: string) => void;
  onSlowDown: OnSlowDown;
}

function TenantList({ name, add, by, onSort, onSlowDown }: TenantListProps) {
  const { t } = useLingui();
  const go = useGo();
  const [after, setAfter] = usePage(name);
  const filter = name === undefined ? null : { search: name };
  const [{ data, error, fetching }, again] = useQuery({ query: TENANTS, variables: { filter, after } });
  const [top, topAgain] = useQuery({
    query: TOP_TENANTS,
    variables: { by: by ?? 'FAILURES' },
    pause: by === undefined,
  });
  useRefresh(again, EVERY_MS);
  useRefresh(topAgain, by === undefined ? undefined : EVERY_MS);
  const failing = data?.installation?.failing;
  const columns = useColumns(failing ?? {}, onSlowDown);
  const listed = data?.tenants?.edges.map(({ node }) => node) ?? [];
  const ranked = by === undefined ? undefined : top.data?.installation?.topTenants;
  const rows = ranked
    ? withFailing(ranked, failing?.tenants ?? [])
    : worstFirst(listed, failing?.tenants ?? [], name !== undefined);
  const problem = error ?? top.error;
  if (problem) {
    return <Failure error={problem} retry={again} />;
  }
  return data?.tenants == null || (by !== undefined && ranked == null) ? (
    <TableSkeleton />
  ) : (
    <Card flush>
      <List
        label={t`Tenants`}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ databaseId }) => go(`/tenants/${databaseId}`)}
        sort={{ by: by ?? '', onSort }}
        empty={<NoTenants name={name} add={add} />}
        more={
          ranked ? (
            <Ranked shown={rows.length} />
          ) : (
            <More shown={rows.length} page={data.tenants.pageInfo} busy={fetching} onMore={setAfter} />
          )
        }
      />
    </Card>
  );
}

function NoTenants({ name, add }: Pick<TenantListProps, 'name' | 'add'>) {
  return name === undefined ? (
    <Empty title={<Trans>No tenants</Trans>} action={add}>
      <Trans>A tenant is one of your customers, with its own endpoints, events and keys.</Trans>
    </Empty>
  ) : (
    <Empty
      title={
        <Trans>
          No tenants match “
          <Untrusted text={name} />”
        </Trans>
      }
    />
  );
}

type Counts = { [state in 'gone' | 'disabled' | 'failing']?: number | null | undefined };

/**
 * @param counts the endpoints that fail of all tenants: of too many, not all are counted.
 * @param onSlowDown null: the reader may not limit tenants.
 */
function useColumns({ gone, disabled, failing: tried }: Counts, onSlowDown: OnSlowDown): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Tenant`,
        wide: true,
        render: ({ databaseId, name, externalId }) => (
          <Link to={`/tenants/${databaseId}`} className={ENDPOINT_SUBJECT}>
            <NameAndId name={name} externalId={externalId} />
          </Link>
        ),
      },
      { name: t`Created`, from: '2xl', card: 'none', render: ({ createdAt }) => <Time value={createdAt} /> },
      { name: t`Endpoints`, figures: true, from: 'sm', render: ({ webhookCount }) => count(webhookCount ?? 0) },
      {
        name: t`State`,
        card: 'unnamed',
        render: ({ failing }) => <FailingEndpoints failing={failing} ofAll={{ gone, disabled, failing: tried }} />,
      },
      { name: t`Last 24 hours`, from: 'lg', card: 'none', render: ({ lastDay }) => <DaySparkline buckets={lastDay} /> },
      {
        name: t`Attempts`,
        figures: true,
        from: 'md',
        sort: 'ATTEMPTS',
        render: ({ lastDay }) => count(sumsOf(lastDay).attempts),
      },
      {
        name: t`Failed`,
        figures: true,
        from: 'sm',
        sort: 'FAILURES',
        render: ({ lastDay }) => <Failures failures={sumsOf(lastDay).failures} />,
      },
      { name: t`Due`, figures: true, sort: 'BACKLOG', render: ({ backlog }) => <Waiting backlog={backlog} of="due" /> },
      {
        name: t`Oldest wait`,
        figures: true,
        from: 'md',
        sort: 'WAIT',
        render: ({ backlog }) => <Wait since={backlog?.oldestDueAt} />,
      },
      { name: t`Held`, figures: true, render: ({ backlog }) => <Waiting backlog={backlog} of="held" /> },
      ...(onSlowDown === null ? [] : [slowDownColumn<Row>(t`Action`, onSlowDown)]),
    ],
    [t, gone, disabled, tried, onSlowDown],
  );
}

/** How many endpoints of a tenant are gone, disabled or failing now; at least so many if not all were counted. */
function FailingEndpoints({ failing, ofAll }: Pick<Row, 'failing'> & { ofAll: Counts }) {
  const { t } = useLingui();
  if (failing === undefined) {
    return <Badge tone="good" icon={CircleCheck}>{t`Healthy`}</Badge>;
  }
  const badge = (tone: Tone, state: keyof Counts, words: (many: string) => ReactNode) =>
    failing[state] > 0 && (
      <Badge tone={tone} icon={CircleX}>
        {words(`${count(failing[state])}${(ofAll[state] ?? 0) >= FAILING_COUNTED_MAX ? '+' : ''}`)}
      </Badge>
    );
  return (
    <span className="inline-flex flex-wrap gap-1 2xl:flex-nowrap">
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

function Waiting({ backlog, of }: { backlog: Row['backlog']; of: 'due' | 'held' }) {
  const number = backlog?.[of] ?? 0;
  const look = number === 0 ? 'text-faint' : of === 'held' ? 'font-medium text-warn' : '';
  return <span className={look}>{countUpTo(number, backlog?.countMax ?? 1)}</span>;
}
