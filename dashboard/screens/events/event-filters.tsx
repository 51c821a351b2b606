import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { FilterRow, Select } from '../../parts/field';
import { useAddress } from '../../parts/place';
import { SearchBox } from '../../parts/search-box';
import { useAllowed } from '../../parts/viewer';
import { EVENT_TYPES } from '../event-types/documents';

const ANY = '';

/** The filters of the list of events; the address keeps them. */
export function EventFilters() {
  const { t } = useLingui();
  const [{ type = ANY }, setAddress] = useAddress();
  const [{ data }] = useQuery({ query: EVENT_TYPES, pause: !useAllowed('webhooks:read') });
  const names = new Set(data?.eventTypes?.map(({ name }) => name));
  if (type !== ANY) {
    names.add(type);
  }
  return (
    <FilterRow>
      <Select
        label={t`Event type`}
        value={type}
        onChange={(next) => setAddress({ type: next })}
        options={[{ value: ANY, name: t`Any event type` }, ...[...names].map((name) => ({ value: name, name }))]}
      />
      <SearchBox name="text" label={t`Text in the payload`} />
      <SearchBox name="key" label={t`Idempotency key`} />
    </FilterRow>
  );
}
