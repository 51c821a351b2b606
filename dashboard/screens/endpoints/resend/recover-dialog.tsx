import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import type { DeliveryOutcome } from '../../../api/generated/graphql';
import { BulkDialog } from '../../../parts/bulk-dialog';
import { Ticks } from '../../../parts/field';
import { filterOf, SpanFields, spanOfLast } from '../../../parts/time-span';
import { useBulkWords } from '../../deliveries/bulk/bulk-words';
import { RECOVER } from '../../operations/documents';
import { useBulkOperation } from '../../operations/use-bulk-operation';
import type { EndpointDialogProps } from '../use-endpoint';

const WEEK_MS = 168 * 3_600_000;

/** Sends finished deliveries of the endpoint again. */
export function RecoverDialog({ endpoint: { id }, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [span, setSpan] = useState(() => spanOfLast(WEEK_MS));
  const [outcomes, setOutcomes] = useState<DeliveryOutcome[]>(['FAILED', 'HOLD_EXPIRED']);
  const input = useMemo(() => {
    const times = filterOf(span);
    return times && outcomes.length > 0 ? { id, filter: { ...times, outcomes } } : undefined;
  }, [id, span, outcomes]);
  const options: { value: DeliveryOutcome; words: string }[] = [
    { value: 'FAILED', words: t`Failed for good` },
    { value: 'HOLD_EXPIRED', words: t`Held for too long` },
    { value: 'CANCELED', words: t`Canceled for other reasons` },
  ];
  return (
    <BulkDialog {...useBulkWords().resend} work={useBulkOperation(RECOVER, input)} onClose={onClose}>
      <SpanFields span={span} onChange={setSpan} />
      <Ticks name={<Trans>Deliveries</Trans>} value={outcomes} onChange={setOutcomes} options={options} />
      <p className="text-soft">
        <Trans>Test checks are not included.</Trans>
      </p>
    </BulkDialog>
  );
}
