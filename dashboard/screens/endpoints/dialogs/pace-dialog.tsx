import { Plural, Trans } from '@lingui/react/macro';
import { useClient, useMutation } from 'urql';
import { Button } from '../../../parts/button';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { changeOf, isReady, listOf, textsOf } from '../../../parts/pace';
import { PaceForm } from '../../../parts/pace-form';
import { Answer } from '../../../parts/page';
import { ScheduleWords } from '../../../parts/retry-line';
import { notify } from '../../../parts/toast';
import { ENDPOINT, UPDATE_ENDPOINT } from '../documents';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';

/** Changes how an endpoint is called. It says first what becomes of the retries. */
export function PaceDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { id } = endpoint;
  const client = useClient();
  const [, update] = useMutation(UPDATE_ENDPOINT);
  const valuesOf = ({ delivery }: ShownEndpoint) => ({ delivery: textsOf(delivery) });
  const form = useForm({
    initial: () => valuesOf(endpoint),
    save: ({ delivery }, { version }) =>
      update({ input: { id, delivery: changeOf(delivery, endpoint.delivery.own), ifVersion: version } }),
    saved: () => {
      notify(<Trans>Pace and retries are changed.</Trans>);
      onClose();
    },
    versioned: {
      stored: endpoint,
      read: async () => (await client.query(ENDPOINT, { id }).toPromise()).data?.webhook,
      valuesOf,
    },
  });
  const { delivery } = form.values;
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Pace and retries</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      ready={isReady(delivery)}
      onClose={onClose}
    >
      {form.conflict && (
        <Answer
          tone="warn"
          actions={
            <>
              <Button onClick={form.conflict.take}>
                <Trans>Use the current values</Trans>
              </Button>
              <Button look="primary" onClick={form.conflict.overwrite}>
                <Trans>Overwrite with mine</Trans>
              </Button>
            </>
          }
        >
          <Trans>Someone else changed this endpoint while you were editing it.</Trans>
        </Answer>
      )}
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
