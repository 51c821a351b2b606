import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import type { DeliveryOutcome } from '../../../api/generated/graphql';
import { BulkDialog } from '../../../parts/bulk-dialog';
import { Tick } from '../../../parts/field';
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
  const names: Partial<Record<DeliveryOutcome, string>> = {
    FAILED: t`Failed for good`,
    HOLD_EXPIRED: t`Held for too long`,
    CANCELED: t`Canceled for other reasons`,
  };
  const toggle = (outcome: DeliveryOutcome) =>
    setOutcomes((chosen) =>
      chosen.includes(outcome) ? chosen.filter((one) => one !== outcome) : [...chosen, outcome],
    );
  return (
    <BulkDialog {...useBulkWords().resend} work={useBulkOperation(RECOVER, input)} onClose={onClose}>
      <SpanFields span={span} onChange={setSpan} />
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1.5 font-medium">
          <Trans>Deliveries</Trans>
        </legend>
        {(Object.keys(names) as DeliveryOutcome[]).map((outcome) => (
          <Tick key={outcome} checked={outcomes.includes(outcome)} onChange={() => toggle(outcome)}>
            {names[outcome]}
          </Tick>
        ))}
      </fieldset>
      <p className="text-soft">
        <Trans>Checks are left out.</Trans>
      </p>
    </BulkDialog>
  );
}
