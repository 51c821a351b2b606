import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import type { UseQueryState } from 'urql';
import { HELD_SHOWN_MAX } from '../../../src/domain/health-limits';
import type { FailingNowQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List } from '../../parts/list';
import { Answer, Card, Failure } from '../../parts/page';
import { useGo } from '../../parts/place';
import { FailingBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { count, countUpTo } from '../../text/numbers';
import { remedyFor } from '../../text/remedies';
import { EndpointOfTenant, pathOf, TenantLink } from './of-tenant';

type Row = NonNullable<NonNullable<FailingNowQuery['installation']>['failing']['webhooks']>[number];

type FailingState = Pick<UseQueryState<FailingNowQuery>, 'data' | 'error'>;

const SHOWN = 6;

/** The endpoints of all tenants that are disabled, gone or failing now, the worst first, each inside its tenant. */
export function FailingNow({ state: { data, error }, readAgain }: { state: FailingState; readAgain: () => void }) {
  const { t } = useLingui();
  const go = useGo();
  const [all, setAll] = useState(false);
  const columns = useColumns();
  const failing = data?.installation?.failing;
  const rows = failing?.webhooks;
  if (rows == null) {
    // The screen says already that the service cannot be reached.
    return error && !error.networkError && <Failure error={error} retry={readAgain} />;
  }
  if (rows.length === 0) {
    return (
      <Answer tone="good">
        <Trans>No endpoint is failing, disabled or gone.</Trans>
      </Answer>
    );
  }
  const total = Math.max(rows.length, (failing?.gone ?? 0) + (failing?.disabled ?? 0) + (failing?.failing ?? 0));
  return (
    <Card
      flush
      title={<Plural value={total} one="# endpoint fails now" other="# endpoints fail now" />}
      actions={
        rows.length > SHOWN && (
          <Button look="quiet" onClick={() => setAll(!all)}>
            {all ? (
              <Trans>Show fewer</Trans>
            ) : rows.length < total ? (
              <Trans>Show the worst {rows.length}</Trans>
            ) : (
              <Trans>Show all {count(total)}</Trans>
            )}
          </Button>
        )
      }
    >
      <List
        label={t`Endpoints that fail now`}
        columns={columns}
        rows={all ? rows : rows.slice(0, SHOWN)}
        keyOf={({ webhookId }) => webhookId}
        onOpen={(row) => go(pathOf(row))}
      />
    </Card>
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Endpoint`,
        wide: true,
        render: (row) => (
          <>
            <EndpointOfTenant row={row} />
            <span className="block truncate text-xs text-soft max-cards:hidden lg:hidden">
              <Why {...row} />
            </span>
          </>
        ),
      },
      { name: t`Tenant`, from: 'sm', render: ({ tenant }) => <TenantLink tenant={tenant} /> },
      { name: t`State`, card: 'unnamed', render: ({ state }) => <FailingBadge state={state} /> },
      { name: t`Why`, from: 'lg', card: 'line', render: (row) => <Why {...row} /> },
      { name: t`Since`, figures: true, from: 'sm', render: ({ since }) => since && <Time value={since} /> },
      {
        name: t`Held`,
        figures: true,
        render: ({ held }) => (
          <span className={held === 0 ? 'text-faint' : 'font-medium text-warn'}>{countUpTo(held, HELD_SHOWN_MAX)}</span>
        ),
      },
    ],
    [t],
  );
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
