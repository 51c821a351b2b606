import { Trans } from '@lingui/react/macro';
import { FormDialog } from '../../../parts/form-dialog';
import { BriefConflict } from '../brief-conflict';
import type { EndpointDialogProps } from '../use-endpoint';
import { useEndpointForm } from '../use-endpoint-form';
import { OrderFields, orderingInput } from './order-fields';

/** Changes which deliveries wait for each other. */
export function OrderDialog({ endpoint, onClose }: EndpointDialogProps) {
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ ordering: { warnings: _, ...ordering } }) => ({ ordering }),
    inputOf: ({ ordering }) => ({ ordering: orderingInput(ordering) }),
    saidAfter: <Trans>Saved. New events follow.</Trans>,
  });
  const { value, onChange } = form.field('ordering');
  return (
    <FormDialog
      form={form}
      title={<Trans>Ordering</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      onClose={onClose}
    >
      {form.conflict && <BriefConflict {...form.conflict} action={<Trans>Overwrite with mine</Trans>} />}
      <OrderFields
        value={value}
        onChange={onChange}
        issues={form.issues('ordering')}
        eventTypes={endpoint.eventTypes}
      />
    </FormDialog>
  );
}
