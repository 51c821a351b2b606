import { Trans, useLingui } from '@lingui/react/macro';
import { Fold } from '../../../parts/fold';
import type { FieldProps } from '../../../parts/form';
import type { Issue } from '../../../parts/issues';
import { Card } from '../../../parts/page';
import { ContentFields } from '../content/content-fields';
import { OrderFields } from '../ordering/order-fields';
import { ORDER_BY, type Ordering } from '../ordering/words';
import type { NewEndpointState } from './use-new-endpoint';

/** Which events a new endpoint gets, and their format: from its first event on. */
export function NewContent({
  draft,
  onChange,
  issues,
  paths,
  eventTypes,
  isFormatByUrl,
}: NonNullable<NewEndpointState['content']> & { eventTypes: readonly string[] }) {
  return (
    <Card title={<Trans>Filter and format</Trans>}>
      <ContentFields
        isNew
        value={draft}
        onChange={onChange}
        issues={issues}
        paths={paths}
        eventTypes={eventTypes}
        formatRemark={isFormatByUrl && draft.format !== 'JSON' && <Trans>Chosen by the URL.</Trans>}
      />
    </Card>
  );
}

/** Which deliveries of a new endpoint wait for each other. */
export function NewOrder({
  value,
  onChange,
  issues,
  eventTypes,
}: FieldProps<Ordering> & { issues: readonly Issue[]; eventTypes: readonly string[] }) {
  const { i18n } = useLingui();
  return (
    <Card title={<Trans context="of deliveries">Order</Trans>}>
      <Fold
        isOpen={value.by !== 'NONE' || issues.length > 0}
        summary={i18n._(ORDER_BY.NONE.hint)}
        action={<Trans>Set the order</Trans>}
      >
        <OrderFields value={value} onChange={onChange} issues={issues} eventTypes={eventTypes} />
      </Fold>
    </Card>
  );
}
