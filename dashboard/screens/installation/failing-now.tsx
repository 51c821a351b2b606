import { Trans } from '@lingui/react/macro';
import { lazy } from 'react';
import type { UseQueryState } from 'urql';
import type { FailingNowQuery } from '../../api/generated/graphql';
import { laterScript } from '../../api/scripts';
import { Answer, Failure } from '../../parts/page';

/** The screen waits for it, so that nothing moves when it comes. */
const FailingTable = lazy(laterScript(() => import('./failing-table')));

type FailingState = Pick<UseQueryState<FailingNowQuery>, 'data' | 'error'>;

/** The endpoints of all tenants that are disabled, gone or failing now; or that there are none. */
export function FailingNow({ state: { data, error }, readAgain }: { state: FailingState; readAgain: () => void }) {
  const failing = data?.installation?.failing;
  const rows = failing?.webhooks;
  if (failing === undefined || rows == null) {
    // The screen says already that the service cannot be reached.
    return error && !error.networkError && <Failure error={error} retry={readAgain} />;
  }
  return rows.length > 0 ? (
    <FailingTable failing={failing} rows={rows} />
  ) : (
    <Answer tone="good">
      <Trans>No endpoint is failing, disabled or gone.</Trans>
    </Answer>
  );
}
