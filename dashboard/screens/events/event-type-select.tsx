import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { Select } from '../../parts/field';
import { useAddress } from '../../parts/place';
import { useAllowed } from '../../parts/viewer';
import { EVENT_TYPES } from '../event-types/documents';

const ANY = '';

/** The filter of a list by event type; the address keeps it as `type`. */
export function EventTypeSelect() {
  const { t } = useLingui();
  const [{ type = ANY }, setAddress] = useAddress();
  const [{ data }] = useQuery({ query: EVENT_TYPES, pause: !useAllowed('webhooks:read') });
  const names = new Set(data?.eventTypes?.map(({ name }) => name));
  if (type !== ANY) {
    names.add(type);
  }
  return (
    <Select
      label={t`Event type`}
      value={type}
      onChange={(next) => setAddress({ type: next })}
      options={[{ value: ANY, name: t`Any event type` }, ...[...names].map((name) => ({ value: name, name }))]}
    />
  );
}
