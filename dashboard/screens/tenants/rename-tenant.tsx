import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { Field, TextInput } from '../../parts/field';
import { issueAt } from '../../parts/issues';
import { Card, Fact, Facts, messageOf } from '../../parts/page';
import { notify } from '../../parts/toast';
import { RENAME_TENANT } from './documents';

/** The name of a tenant, which can be changed, and its id, which cannot. */
export function RenameTenant({ tenant }: { tenant: { id: string; name: string } }) {
  const { t } = useLingui();
  const [name, setName] = useState(tenant.name);
  const [{ error, fetching }, rename] = useMutation(RENAME_TENANT);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data } = await rename({ id: tenant.id, name: name.trim() });
    if (data) {
      notify(t`The tenant has its new name.`);
    }
  };
  return (
    <Card title={<Trans>Name</Trans>}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-wrap items-start gap-x-2">
        <div className="min-w-0 flex-1 basis-60">
          <Field
            name={<Trans>Name of the tenant</Trans>}
            hint={<Trans>Unique in this installation, up to 200 characters.</Trans>}
            error={error && (issueAt(error, 'input', 'name') ?? messageOf(error))}
          >
            {(props) => (
              <TextInput
                {...props}
                required
                maxLength={200}
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
        </div>
        <div className="pt-6.25">
          <Button type="submit" disabled={fetching || name.trim() === '' || name.trim() === tenant.name}>
            <Trans>Rename</Trans>
          </Button>
        </div>
      </form>
      <div className="mt-3">
        <Facts>
          <Fact name={<Trans>Id</Trans>}>
            <code className="font-mono text-xs">{tenant.id}</code>
          </Fact>
        </Facts>
      </div>
    </Card>
  );
}
