import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQuery } from 'urql';
import type { TenantLimitsQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { useForm } from '../../parts/form';
import { Card, Failure } from '../../parts/page';
import { Time } from '../../parts/time';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
import { CHANGE_LIMITS, TENANT_LIMITS } from './documents';
import { areLimits, LimitsForm, limitsOf, textsOfLimits } from './limits-form';

type Limited = NonNullable<TenantLimitsQuery['tenant']>;

/** The card with a tenant's limits, which the operator sets. */
export function TenantLimits({ tenant: { id } }: { tenant: { id: string } }) {
  const [{ data, error }, read] = useQuery({ query: TENANT_LIMITS, variables: { id } });
  const tenant = data?.tenant;
  return (
    <Card title={<Trans>Limits</Trans>}>
      <p className="mb-3 text-sm text-soft">
        {tenant?.limitedSince == null ? (
          <Trans>This tenant has the limits of the installation.</Trans>
        ) : (
          <Since since={tenant.limitedSince} by={tenant.limitedBy} />
        )}
      </p>
      {error && <Failure error={error} retry={read} />}
      {tenant && <Form key={JSON.stringify(tenant.limits)} tenant={tenant} />}
    </Card>
  );
}

function Since({ since, by }: { since: string; by: string | null | undefined }) {
  return by == null ? (
    <Trans>
      These limits have held since <Time value={since} absolute />.
    </Trans>
  ) : (
    <Trans>
      These limits have held since <Time value={since} absolute />, set by <Untrusted text={by} />.
    </Trans>
  );
}

function Form({ tenant: { id, limits } }: { tenant: Limited }) {
  const { t } = useLingui();
  const [, change] = useMutation(CHANGE_LIMITS);
  const form = useForm({
    initial: () => ({ limits: textsOfLimits(limits) }),
    save: ({ limits }) => change({ input: { id, limits: limitsOf(limits) } }),
    saved: () => notify(t`The limits are changed. They hold everywhere within seconds.`),
  });
  return (
    <form noValidate onSubmit={form.submit} className="flex flex-col gap-3">
      <LimitsForm {...form.field('limits')} issues={form.issues('limits')} />
      {form.error && <Failure error={form.error} />}
      <div>
        <Button type="submit" look="primary" disabled={form.busy || !areLimits(form.values.limits)}>
          <Trans>Save</Trans>
        </Button>
      </div>
    </form>
  );
}
