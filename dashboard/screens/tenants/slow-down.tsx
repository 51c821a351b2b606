import { Trans, useLingui } from '@lingui/react/macro';
import { Gauge } from 'lucide-react';
import { useMutation, useQuery } from 'urql';
import type { TenantRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import type { Column } from '../../parts/list';
import { Failure } from '../../parts/page';
import { Skeleton } from '../../parts/skeleton';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
import { CHANGE_LIMITS, TENANT_LIMITS } from './documents';
import { areLimits, LimitsForm, limitsOf, type TenantLimitValues, textsOfLimits } from './limits-form';

type Tenant = Pick<TenantRowFragment, 'id' | 'name' | 'limitedSince'>;

/** The column of the button that limits a tenant, or shows that it is limited. */
export const slowDownColumn = <Row extends Tenant>(name: string, onSlowDown: (row: Row) => void): Column<Row> => ({
  name,
  bare: true,
  render: (row) => (
    <Button look="quiet" icon={<Gauge />} onClick={() => onSlowDown(row)}>
      {row.limitedSince == null ? (
        <Trans>Slow down</Trans>
      ) : (
        <span className="text-warn">
          <Trans>Limited</Trans>
        </span>
      )}
    </Button>
  ),
});

/** Limits a tenant, in a window. */
export function SlowDown({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const [{ data, error }, read] = useQuery({ query: TENANT_LIMITS, variables: { id: tenant.id } });
  if (data?.tenant) {
    return <LimitsDialog tenant={tenant} limits={data.tenant.limits} onClose={onClose} />;
  }
  return (
    <Dialog open onClose={onClose} title={<Title name={tenant.name} />}>
      {error ? <Failure error={error} retry={read} /> : <Skeleton heights={['h-16', 'h-16', 'h-16']} />}
    </Dialog>
  );
}

function Title({ name }: { name: string }) {
  return (
    <Trans>
      Slow down <Untrusted text={name} />
    </Trans>
  );
}

function LimitsDialog({ tenant, limits, onClose }: { tenant: Tenant; limits: TenantLimitValues; onClose: () => void }) {
  const { t } = useLingui();
  const [, change] = useMutation(CHANGE_LIMITS);
  const form = useForm({
    initial: () => ({ limits: textsOfLimits(limits) }),
    save: ({ limits }) => change({ input: { id: tenant.id, limits: limitsOf(limits) } }),
    saved: () => {
      notify(t`The limits are changed. They hold everywhere within seconds.`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Title name={tenant.name} />}
      action={<Trans>Save</Trans>}
      ready={areLimits(form.values.limits)}
      wide
      onClose={onClose}
    >
      <LimitsForm {...form.field('limits')} issues={form.issues('limits')} />
    </FormDialog>
  );
}
