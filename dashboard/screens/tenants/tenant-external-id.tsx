import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { EXTERNAL_ID_CHARS_MAX } from '../../../src/domain/ids/external-id';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { Card, messageOf } from '../../parts/page';
import { notify } from '../../parts/toast';
import { SET_EXTERNAL_ID } from './documents';

/** The id of a tenant in the operator's own system, which can be changed and removed. */
export function TenantExternalId({ tenant }: { tenant: { id: string; externalId?: string | null } }) {
  const { t } = useLingui();
  const [, set] = useMutation(SET_EXTERNAL_ID);
  const before = tenant.externalId ?? '';
  const form = useForm({
    initial: { externalId: before },
    save: ({ externalId }) => set({ id: tenant.id, externalId: externalId || null }),
    saved: () => notify(t`The external ID is changed.`),
  });
  return (
    <Card title={<Trans>External ID</Trans>}>
      <form onSubmit={form.submit} className="flex flex-wrap items-start gap-x-2">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            {...form.field('externalId')}
            name={<Trans>ID of the tenant in your own system</Trans>}
            hint={<Trans>Unique in this installation. Programs can name the tenant by it.</Trans>}
            error={form.error && messageOf(form.error)}
            maxLength={EXTERNAL_ID_CHARS_MAX}
          />
        </div>
        <div className="pt-6.25">
          <Button type="submit" disabled={form.busy || form.values.externalId === before}>
            <Trans>Save</Trans>
          </Button>
        </div>
      </form>
    </Card>
  );
}
