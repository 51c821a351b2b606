import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import type { OperationRowFragment } from '../../api/generated/graphql';
import { Failure } from '../../parts/page';
import { ProgressBar } from '../../parts/progress';
import { useRefresh } from '../../parts/refresh';
import { count } from '../../text/numbers';
import { OPERATION } from './documents';
import { goesOn, REFRESH_MS } from './names';

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

/** The bar of an operation, and its numbers. */
export function Progress({ operation }: { operation: OperationRowFragment }) {
  const { t } = useLingui();
  const { affected, skipped, total, processed, status, progress } = operation;
  const part = status === 'COMPLETED' ? 1 : progress;
  return (
    <div className="flex flex-col gap-1.5">
      <ProgressBar label={t`Progress`} part={part} tone={TONES[status]} />
      <p role="status" className="figures text-xs text-soft">
        {t`${count(processed)} of ${count(Math.max(total, processed))} processed: ${count(affected)} done, ${count(skipped)} skipped`}
      </p>
    </div>
  );
}
