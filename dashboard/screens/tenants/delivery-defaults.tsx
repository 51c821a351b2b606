import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQuery } from 'urql';
import { Button } from '../../parts/button';
import { useForm } from '../../parts/form';
import { changeOf, isReady, type Pace, textsOf } from '../../parts/pace';
import { PaceForm } from '../../parts/pace-form';
import { Card, Failure } from '../../parts/page';
import { notify } from '../../parts/toast';
import { CHANGE_DEFAULTS, DELIVERY_DEFAULTS } from './documents';

/** The values that the endpoints of a tenant inherit. */
export function DeliveryDefaults({ tenant: { id } }: { tenant: { id: string } }) {
  const [{ data, error }, read] = useQuery({ query: DELIVERY_DEFAULTS, variables: { id } });
  const defaults = data?.tenant?.deliveryDefaults;
  return (
    <Card title={<Trans>Delivery defaults</Trans>}>
      <p className="mb-3 text-sm text-soft">
        <Trans>Endpoints of this tenant have these values, unless they set their own.</Trans>
      </p>
      {error && <Failure error={error} retry={read} />}
      {defaults && <DefaultsForm key={JSON.stringify(defaults)} id={id} defaults={defaults} />}
    </Card>
  );
}

function DefaultsForm({ id, defaults }: { id: string; defaults: Pace }) {
  const { t } = useLingui();
  const [, change] = useMutation(CHANGE_DEFAULTS);
  const form = useForm({
    initial: () => ({ deliveryDefaults: textsOf(defaults) }),
    save: ({ deliveryDefaults }) =>
      change({ input: { id, deliveryDefaults: changeOf(deliveryDefaults, defaults.own) } }),
    saved: () => notify(t`The defaults are changed. Endpoints follow within seconds.`),
  });
  return (
    <form noValidate onSubmit={form.submit} className="flex flex-col gap-3">
      <PaceForm {...form.field('deliveryDefaults')} issues={form.issues('deliveryDefaults')} />
      {form.error && <Failure error={form.error} />}
      <div>
        <Button type="submit" look="primary" disabled={form.busy || !isReady(form.values.deliveryDefaults)}>
          <Trans>Save</Trans>
        </Button>
      </div>
    </form>
  );
}
