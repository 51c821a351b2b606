import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { EXTERNAL_ID_CHARS_MAX } from '../../../src/domain/ids/external-id';
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
    initial: { name: '', externalId: '' },
    save: ({ name, externalId }) => create({ name: name.trim(), externalId: externalId || null }),
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
      <TextField
        {...form.field('externalId')}
        name={<Trans>External ID</Trans>}
        hint={<Trans>The customer's id in your own system, if you want to find the tenant by it.</Trans>}
        maxLength={EXTERNAL_ID_CHARS_MAX}
      />
    </FormDialog>
  );
}
