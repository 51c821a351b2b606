import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { Card, Fact, Facts, messageOf } from '../../parts/page';
import { notify } from '../../parts/toast';
import { RENAME_TENANT } from './documents';

/** The name of a tenant, which can be changed, and its id, which cannot. */
export function RenameTenant({ tenant }: { tenant: { id: string; name: string } }) {
  const { t } = useLingui();
  const [, rename] = useMutation(RENAME_TENANT);
  const form = useForm({
    initial: { name: tenant.name },
    save: ({ name }) => rename({ id: tenant.id, name: name.trim() }),
    saved: () => notify(t`The tenant is renamed.`),
  });
  const name = form.values.name.trim();
  return (
    <Card title={<Trans>Name</Trans>}>
      <form onSubmit={form.submit} className="flex flex-wrap items-start gap-x-2">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            {...form.field('name')}
            name={<Trans>Name of the tenant</Trans>}
            hint={<Trans>Unique in this installation, up to 200 characters.</Trans>}
            error={form.error && messageOf(form.error)}
            required
            maxLength={200}
          />
        </div>
        <div className="pt-6.25">
          <Button type="submit" disabled={form.busy || name === '' || name === tenant.name}>
            <Trans>Rename</Trans>
          </Button>
        </div>
      </form>
      <div className="mt-3">
        <Facts>
          <Fact name={<Trans>ID</Trans>}>
            <code className="font-mono text-xs">{tenant.id}</code>
          </Fact>
        </Facts>
      </div>
    </Card>
  );
}
