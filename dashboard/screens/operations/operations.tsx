import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { BulkOperationStatus, OperationRowFragment } from '../../api/generated/graphql';
import { AddressSelect } from '../../parts/address-select';
import { buttonLook } from '../../parts/button';
import { EndpointLink, SubjectLink } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { ProgressBar } from '../../parts/progress';
import { useRefresh } from '../../parts/refresh';
import { TableSkeleton } from '../../parts/skeleton';
import { StateBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { count } from '../../text/numbers';
import { OPERATIONS } from './documents';
import { goesOn, KINDS, OPERATION_STATES, REFRESH_MS } from './names';
import { Rest } from './operation-progress';
import { useRates } from './use-rates';

const STATES = Object.keys(OPERATION_STATES) as BulkOperationStatus[];

/** The bulk operations of a tenant, running and past. */
export default function Operations() {
  const { t, i18n } = useLingui();
  const go = useGo();
  const [address] = useAddress();
  const status = STATES.find((one) => one === address['status']);
  const [after, setAfter] = usePage(status);
  const [{ data, error, fetching }, again] = useQuery({
    query: OPERATIONS,
    variables: { after, filter: status === undefined ? null : { status } },
  });
  const rows = useMemo(() => data?.bulkOperations?.edges.map(({ node }) => node) ?? [], [data]);
  const columns = useColumns(useRates(rows));
  useRefresh(again, rows.some(goesOn) ? REFRESH_MS : undefined);
  return (
    <>
      <PageHead
        title={t`Operations`}
        actions={
          <AddressSelect
            name="status"
            label={t`State`}
            any={t`Any state`}
            options={STATES.map((value) => ({ value, name: i18n._(OPERATION_STATES[value].name) }))}
          />
        }
      />
      {error && <Failure error={error} retry={again} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {data?.bulkOperations && (
        <Card flush>
          <List
            label={t`Operations`}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={({ databaseId }) => go(`/operations/${databaseId}`)}
            empty={
              <Empty
                title={status === undefined ? <Trans>No operations</Trans> : <Trans>No matching operations</Trans>}
                action={
                  <Link to="/deliveries" className={buttonLook('plain')}>
                    <Trans>Open the deliveries</Trans>
                  </Link>
                }
              >
                <Trans>Operations send many deliveries again, cancel them, or replay past events.</Trans>
              </Empty>
            }
            more={<More shown={rows.length} page={data.bulkOperations.pageInfo} busy={fetching} onMore={setAfter} />}
          />
        </Card>
      )}
    </>
  );
}

function useColumns(rates: ReadonlyMap<string, number | undefined>): Column<OperationRowFragment>[] {
  const { t, i18n } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Operation`,
        render: ({ databaseId, kind }) => (
          <SubjectLink to={`/operations/${databaseId}`}>{i18n._(KINDS[kind])}</SubjectLink>
        ),
      },
      { name: t`State`, card: 'unnamed', render: ({ status }) => <StateBadge state={OPERATION_STATES[status]} /> },
      {
        name: t`Endpoint`,
        wide: true,
        from: 'md',
        render: (operation) => <OperationEndpoint operation={operation} />,
      },
      {
        name: t`Progress`,
        from: 'sm',
        card: 'unnamed',
        render: (operation) => <ProgressCell operation={operation} rate={rates.get(operation.id)} />,
      },
      { name: t`Done`, figures: true, from: 'sm', render: ({ affected }) => count(affected) },
      { name: t`Skipped`, figures: true, from: 'lg', render: ({ skipped }) => count(skipped) },
      { name: t`Started`, figures: true, card: 'corner', render: ({ createdAt }) => <Time value={createdAt} /> },
    ],
    [t, i18n, rates],
  );
}

function OperationEndpoint({ operation: { webhook, filter } }: { operation: OperationRowFragment }) {
  const { t } = useLingui();
  return (
    <EndpointLink webhook={webhook} secondary otherwise={filter['webhookId'] == null ? t`All endpoints` : t`deleted`} />
  );
}

function ProgressCell({ operation, rate }: { operation: OperationRowFragment; rate: number | undefined }) {
  const { t } = useLingui();
  const { status, progress } = operation;
  return (
    <span className="inline-flex items-center gap-2">
      <span className="block w-24">
        <ProgressBar
          label={t`Progress`}
          part={status === 'COMPLETED' ? 1 : progress}
          tone={status === 'RUNNING' ? 'accent' : status === 'COMPLETED' ? 'good' : 'faint'}
        />
      </span>
      {status === 'RUNNING' && rate !== undefined && (
        <span className="figures text-xs text-soft">
          <Rest operation={operation} rate={rate} />
        </span>
      )}
    </span>
  );
}
