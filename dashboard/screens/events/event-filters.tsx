import { useLingui } from '@lingui/react/macro';
import { FilterRow } from '../../parts/field';
import { SearchBox } from '../../parts/search-box';
import { EventTypeSelect } from './event-type-select';

/** The filters of the list of events; the address keeps them. */
export function EventFilters() {
  const { t } = useLingui();
  return (
    <FilterRow>
      <EventTypeSelect />
      <SearchBox name="text" label={t`Text in the payload`} />
      <SearchBox name="key" label={t`Idempotency key`} />
    </FilterRow>
  );
}
