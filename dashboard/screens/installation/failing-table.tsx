import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { FAILING_COUNTED_MAX } from '../../../src/domain/deliveries/health-limits.js';
import type { FailingNowQuery } from '../../api/generated/graphql';
import { HeldCount } from '../../parts/cells';
import type { Column } from '../../parts/list';
import { useGo } from '../../parts/place';
import { subjectAndReason } from '../../parts/reason-column';
import { FailingBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { WorstCard } from '../../parts/worst-card';
import { count } from '../../text/numbers';
import { remedyFor } from '../../text/remedies';
import { EndpointOfTenant, pathOf, TenantLink } from './of-tenant';

type Failing = NonNullable<FailingNowQuery['installation']>['failing'];
type Row = NonNullable<Failing['webhooks']>[number];

export interface FailingProps {
  failing: Failing;
  rows: readonly Row[];
}

/** The endpoints of all tenants that are disabled, gone or failing now, the worst first, each inside its tenant. */
export default function FailingTable({ failing, rows }: FailingProps) {
  const { t } = useLingui();
  const go = useGo();
  const columns = useColumns();
  const counts = [failing.gone, failing.disabled, failing.failing].map((some) => some ?? 0);
  const total = Math.max(
    rows.length,
    counts.reduce((sum, some) => sum + some),
  );
  const atLeast = `${count(total)}+`;
  return (
    <WorstCard
      title={
        counts.some((some) => some >= FAILING_COUNTED_MAX) ? (
          <Trans>{atLeast} endpoints are failing</Trans>
        ) : (
          <Plural value={total} one="# endpoint is failing" other="# endpoints are failing" />
        )
      }
      showAll={
        rows.length < total ? <Trans>Show the worst {rows.length}</Trans> : <Trans>Show all {count(total)}</Trans>
      }
      label={t`Failing endpoints`}
      columns={columns}
      rows={rows}
      keyOf={({ webhookId }) => webhookId}
      onOpen={(row) => go(pathOf(row))}
    />
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(() => {
    const [endpoint, why] = subjectAndReason<Row>(
      { name: t`Endpoint`, wide: true, render: (row) => <EndpointOfTenant row={row} /> },
      { name: t`Why`, from: 'lg', card: 'line', render: (row) => <Why {...row} /> },
    );
    return [
      endpoint,
      { name: t`Tenant`, from: 'sm', render: ({ tenant }) => <TenantLink tenant={tenant} /> },
      { name: t`State`, card: 'unnamed', render: ({ state }) => <FailingBadge state={state} /> },
      why,
      { name: t`Since`, figures: true, from: 'sm', render: ({ since }) => since && <Time value={since} /> },
      { name: t`Held`, figures: true, render: ({ held }) => <HeldCount held={held} /> },
    ];
  }, [t]);
}

function Why({ state, lastErrorCode, consecutiveFailures }: Row) {
  const { i18n } = useLingui();
  const why = lastErrorCode != null && i18n._(remedyFor(lastErrorCode).why);
  return state === 'FAILING' ? (
    <>
      <Plural value={consecutiveFailures} one="# failure" other="# failures in a row" />
      {why && `: ${why}`}
    </>
  ) : (
    why
  );
}
