import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { useGo } from '../../parts/place';
import { notify } from '../../parts/toast';
import { CREATE_TENANT } from './documents';

/** Creates a tenant, and goes to it. */
export function CreateTenant({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const go = useGo();
  const [, create] = useMutation(CREATE_TENANT);
  const form = useForm({
    initial: { name: '' },
    save: ({ name }) => create({ name: name.trim() }),
    saved: ({ createTenant: { tenant } }) => {
      notify(t`The tenant is created.`, t`Create its first API key under “Keys”.`);
      onClose();
      go(`/tenants/${tenant.databaseId}`);
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>Add a tenant</Trans>}
      action={<Trans>Add the tenant</Trans>}
      ready={form.values.name.trim() !== ''}
      onClose={onClose}
    >
      <TextField
        {...form.field('name')}
        name={<Trans>Name</Trans>}
        hint={<Trans>Such as the customer's company. Unique in this installation; you can change it later.</Trans>}
        autoFocus
        required
        maxLength={200}
      />
    </FormDialog>
  );
}
