import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { Card, messageOf } from '../../parts/page';
import { notify } from '../../parts/toast';
import { useViewer } from '../../parts/viewer';
import { SET_RETENTION } from './documents';

/** The card that sets how many days a tenant's payloads are kept. */
export function TenantRetention({ tenant }: { tenant: { id: string; retentionDays?: number | null } }) {
  const { t } = useLingui();
  const { retention } = useViewer();
  const [, set] = useMutation(SET_RETENTION);
  const before = tenant.retentionDays == null ? '' : String(tenant.retentionDays);
  const form = useForm({
    initial: { retentionDays: before },
    save: ({ retentionDays }) => set({ id: tenant.id, retentionDays: retentionDays ? Number(retentionDays) : null }),
    saved: () => notify(t`The retention is changed.`),
  });
  return (
    <Card title={<Trans>Retention</Trans>}>
      <form noValidate onSubmit={form.submit} className="flex flex-wrap items-start gap-x-2">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            {...form.field('retentionDays')}
            name={<Trans>Days for which payloads are kept</Trans>}
            hint={
              <Trans>
                Fewer than {retention.deliveryDays}, the number for all tenants. Older payloads are erased, and their
                open deliveries are canceled.
              </Trans>
            }
            error={form.error && messageOf(form.error)}
            type="number"
            placeholder={t`as the installation`}
            min={1}
          />
        </div>
        <div className="pt-6.25">
          <Button type="submit" disabled={form.busy || form.values.retentionDays === before}>
            <Trans>Save</Trans>
          </Button>
        </div>
      </form>
    </Card>
  );
}
