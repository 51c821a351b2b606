import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { DeliveryOutcome } from '../../../api/generated/graphql';
import { Tick } from '../../../parts/field';
import { RECOVER } from '../documents';
import type { EndpointDialogProps } from '../use-endpoint';
import { BulkDialog } from './bulk-dialog';
import { filterOf, SpanFields, spanOfLast } from './time-span';

const WEEK_MS = 168 * 3_600_000;

/** Sends finished deliveries of the endpoint again. */
export function RecoverDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [span, setSpan] = useState(() => spanOfLast(WEEK_MS));
  const [outcomes, setOutcomes] = useState<DeliveryOutcome[]>(['FAILED', 'HOLD_EXPIRED']);
  const [, recover] = useMutation(RECOVER);
  const filter = filterOf(span);
  const names: Partial<Record<DeliveryOutcome, string>> = {
    FAILED: t`Those that failed for good`,
    HOLD_EXPIRED: t`Those that were held for too long`,
    CANCELED: t`Those that were canceled otherwise`,
  };
  const toggle = (outcome: DeliveryOutcome) =>
    setOutcomes((chosen) =>
      chosen.includes(outcome) ? chosen.filter((one) => one !== outcome) : [...chosen, outcome],
    );
  return (
    <BulkDialog
      title={<Trans>Send failed deliveries again</Trans>}
      choice={filter && outcomes.length > 0 ? JSON.stringify([filter, outcomes]) : undefined}
      run={async (dryRun) => {
        const { data, error } = await recover({
          input: { id: endpoint.id, dryRun, filter: { ...filter!, outcomes } },
        });
        return { run: data?.recoverWebhook, error };
      }}
      noun={(total) => (
        <Plural
          value={total}
          _0="There is no such delivery."
          one="One delivery is sent again, with a fresh budget of retries."
          other="# deliveries are sent again, each with a fresh budget of retries."
        />
      )}
      action={(total) => t`Send ${total} again`}
      onClose={onClose}
    >
      <p className="text-sm text-soft">
        <Trans>They keep their ids, so that a receiver which has seen one can leave it out.</Trans>
      </p>
      <SpanFields span={span} onChange={setSpan} />
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1.5 text-sm font-medium">
          <Trans>Which</Trans>
        </legend>
        {(Object.keys(names) as DeliveryOutcome[]).map((outcome) => (
          <Tick key={outcome} checked={outcomes.includes(outcome)} onChange={() => toggle(outcome)}>
            {names[outcome]}
          </Tick>
        ))}
      </fieldset>
    </BulkDialog>
  );
}
