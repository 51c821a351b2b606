import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Field, TextInput } from '../../parts/field';
import { issueAt } from '../../parts/issues';
import { messageOf } from '../../parts/page';
import { useGo } from '../../parts/place';
import { notify } from '../../parts/toast';
import { CREATE_TENANT } from './documents';

/** Makes a tenant, and goes to it. */
export function CreateTenant({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useLingui();
  const go = useGo();
  const [name, setName] = useState('');
  const [{ error, fetching }, create] = useMutation(CREATE_TENANT);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data } = await create({ name: name.trim() });
    if (data) {
      notify(t`The tenant is made.`, t`It has no API key yet: make one under “Keys”.`);
      onClose();
      go(`/tenants/${data.createTenant.tenant.databaseId}`);
    }
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={<Trans>Add a tenant</Trans>}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form="create-tenant" look="primary" disabled={fetching || name.trim() === ''}>
            <Trans>Add the tenant</Trans>
          </Button>
        </>
      }
    >
      <form id="create-tenant" onSubmit={(event) => void submit(event)}>
        <Field
          name={<Trans>Name</Trans>}
          hint={<Trans>Such as the customer's company. Unique in this installation; it can be changed.</Trans>}
          error={error && (issueAt(error, 'input', 'name') ?? messageOf(error))}
        >
          {(props) => (
            <TextInput
              {...props}
              autoFocus
              required
              maxLength={200}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
