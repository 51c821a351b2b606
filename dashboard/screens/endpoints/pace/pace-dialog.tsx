import { Plural, Trans } from '@lingui/react/macro';
import { FormDialog } from '../../../parts/form-dialog';
import { changeOf, isReady, listOf, textsOf } from '../../../parts/pace';
import { PaceForm } from '../../../parts/pace-form';
import { ScheduleWords } from '../../../parts/retry-line';
import { BriefConflict } from '../brief-conflict';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';

/** Changes how an endpoint is called. It says first what becomes of the retries. */
export function PaceDialog({ endpoint, onClose }: EndpointDialogProps) {
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ delivery }) => ({ delivery: textsOf(delivery) }),
    inputOf: ({ delivery }) => ({ delivery: changeOf(delivery, endpoint.delivery.own) }),
    saidAfter: <Trans>Saved</Trans>,
  });
  const { delivery } = form.values;
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Rate and retries</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      ready={isReady(delivery)}
      onClose={onClose}
    >
      {form.conflict && <BriefConflict {...form.conflict} action={<Trans>Overwrite with mine</Trans>} />}
      <PaceForm {...form.field('delivery')} issues={form.issues('delivery')} />
      <Difference endpoint={endpoint} after={listOf(delivery)} />
    </FormDialog>
  );
}

/** What saving does to the retries. */
function Difference({ endpoint, after }: { endpoint: ShownEndpoint; after: readonly number[] | null }) {
  const before = endpoint.delivery.retryDelaysSeconds;
  const waiting = endpoint.backlog?.scheduled ?? 0;
  if (after === null || after.join() === before.join()) {
    return null;
  }
  return (
    <p className="text-sm" aria-live="polite">
      <ScheduleWords delays={before} /> → <ScheduleWords delays={after} />
      {waiting > 0 && (
        <>
          {'; '}
          <Plural value={waiting} one="# waiting retry keeps its time" other="# waiting retries keep their times" />
        </>
      )}
    </p>
  );
}
