import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { AddressSelect } from '../../parts/address-select';
import { useAddress } from '../../parts/place';
import { useAllowed } from '../../parts/viewer';
import { EVENT_TYPES } from '../event-types/documents';

/** The filter of a list by event type; the address keeps it as `type`. */
export function EventTypeSelect() {
  const { t } = useLingui();
  const [{ type }] = useAddress();
  const [{ data }] = useQuery({ query: EVENT_TYPES, pause: !useAllowed('webhooks:read') });
  const names = new Set(data?.eventTypes?.map(({ name }) => name));
  if (type !== undefined) {
    names.add(type);
  }
  return (
    <AddressSelect
      name="type"
      label={t`Event type`}
      any={t`Any event type`}
      options={[...names].map((name) => ({ value: name, name }))}
    />
  );
}
