import { Trans } from '@lingui/react/macro';
import { useClient, useMutation } from 'urql';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { notify } from '../../../parts/toast';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT, UPDATE_ENDPOINT } from '../documents';
import { EndpointFields } from '../form/endpoint-fields';
import { isReady, valuesOf, writtenValues } from '../form/endpoint-values';
import type { EndpointDialogProps } from '../use-endpoint';
import { Conflict } from './conflict';

/** Changes the fields of an endpoint, as long as nobody else has changed it in the meantime. */
export function EditDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { id } = endpoint;
  const client = useClient();
  const isWritable = useWritable();
  const [, update] = useMutation(UPDATE_ENDPOINT);
  const form = useForm({
    initial: () => valuesOf(endpoint),
    save: (values, { version }) => update({ input: { id, ...writtenValues(values, isWritable), ifVersion: version } }),
    saved: () => {
      notify(<Trans>The endpoint is changed.</Trans>);
      onClose();
    },
    versioned: {
      stored: endpoint,
      read: async () => (await client.query(ENDPOINT, { id }).toPromise()).data?.webhook,
      valuesOf,
    },
  });
  return (
    <FormDialog
      form={form}
      wide
      title={<Trans>Edit the endpoint</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      ready={isReady(form.values)}
      onClose={onClose}
    >
      {form.conflict && <Conflict {...form.conflict} mine={form.values} />}
      <EndpointFields form={form} />
    </FormDialog>
  );
}
