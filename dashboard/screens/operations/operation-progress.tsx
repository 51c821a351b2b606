import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { OperationRowFragment } from '../../api/generated/graphql';
import { Failure } from '../../parts/page';
import { ProgressBar } from '../../parts/progress';
import { useRefresh } from '../../parts/refresh';
import { count, duration } from '../../text/numbers';
import { OPERATION } from './documents';
import { goesOn, REFRESH_MS } from './names';
import { useRates } from './use-rates';

/** How far an operation has come, as it goes on. */
export function OperationProgress({ id }: { id: string }) {
  const [{ data, error }, again] = useQuery({ query: OPERATION, variables: { id } });
  const operation = data?.bulkOperation;
  useRefresh(again, operation != null && goesOn(operation) ? REFRESH_MS : undefined);
  if (operation != null) {
    return <Progress operation={operation} />;
  }
  return error ? <Failure error={error} retry={again} /> : null;
}

const TONES = {
  RUNNING: 'accent',
  PAUSED: 'faint',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELED: 'faint',
} as const;

/** The bar of an operation, its numbers and, while it runs, how fast it is and how long it still takes. */
export function Progress({ operation }: { operation: OperationRowFragment }) {
  const { t } = useLingui();
  const { affected, skipped, total, processed, status, progress } = operation;
  const one = useMemo(() => [operation], [operation]);
  const rate = useRates(one).get(operation.id);
  const part = status === 'COMPLETED' ? 1 : progress;
  return (
    <div className="flex flex-col gap-1.5">
      <ProgressBar label={t`Progress`} part={part} tone={TONES[status]} />
      <p role="status" className="figures text-xs text-soft">
        {t`${count(processed)} of ${count(Math.max(total, processed))} processed: ${count(affected)} done, ${count(skipped)} skipped`}
      </p>
      {status === 'RUNNING' && rate !== undefined && (
        <p className="figures text-xs text-soft">
          <Trans>{count(Math.round(rate * 60_000))} a minute</Trans> · <Rest operation={operation} rate={rate} />
        </p>
      )}
    </div>
  );
}

/** How long a running operation still takes. @param rate of processed items in a ms */
export function Rest({
  operation: { total, processed },
  rate,
}: {
  operation: Pick<OperationRowFragment, 'total' | 'processed'>;
  rate: number;
}) {
  const left = Math.max(0, total - processed);
  return rate <= 0 ? <Trans>waiting for its turn</Trans> : <Trans>{duration(left / rate)} left</Trans>;
}
