import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Tick } from '../../../parts/field';
import { PaceForm } from '../../../parts/pace-form';
import { OrderFields } from '../ordering/order-fields';
import { RequestFields } from '../settings/request-fields';
import { EndpointFields } from './endpoint-fields';
import { isFirst, type NewEndpointState } from './use-new-endpoint';

/** The rarer fields of a new endpoint: names, ordering, rate, headers and auth. */
export default function MoreFields({
  form,
  isWritten,
  groups,
}: Pick<NewEndpointState, 'form' | 'isWritten' | 'groups'>) {
  const delivery = form.field('delivery');
  const { pace, request } = delivery.value;
  const issues = form.issues('delivery');
  const ofPace = issues.filter(({ path }) => PACE.includes(String(path[0])));
  return (
    <div className="flex flex-col gap-5">
      <EndpointFields form={form} isWritten={(name) => !isFirst(name) && isWritten(name)} autoFocus />
      {groups.order && (
        <Part title={<Trans>Ordering</Trans>}>
          <OrderFields
            {...form.field('ordering')}
            issues={form.issues('ordering')}
            eventTypes={form.values.eventTypes}
          />
        </Part>
      )}
      {groups.pace && (
        <Part title={<Trans>Rate and retries</Trans>}>
          <PaceForm
            value={pace}
            onChange={(changed) => delivery.onChange({ pace: changed, request })}
            issues={ofPace}
          />
        </Part>
      )}
      {groups.request && (
        <Part title={<Trans>Method, headers and auth</Trans>}>
          <RequestFields
            draft={request}
            onChange={(changed) => delivery.onChange({ pace, request: changed })}
            issues={issues.filter((issue) => !ofPace.includes(issue))}
          />
        </Part>
      )}
      <Tick checked={!form.values.active} onChange={({ target }) => form.field('active').onChange(!target.checked)}>
        <Trans>Add it paused: deliveries are held until you enable it.</Trans>
      </Tick>
    </div>
  );
}

const PACE: readonly string[] = ['timeoutMs', 'retryDelaysSeconds', 'recovery', 'ratePerSecond', 'concurrencyMax'];

function Part({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  );
}
