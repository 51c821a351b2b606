import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { AddressSelect } from '../../../parts/address-select';
import { FilterRow } from '../../../parts/field';
import { useAddress } from '../../../parts/place';
import { SearchBox } from '../../../parts/search-box';
import { EVENT_TYPES } from '../first-documents';
import { arrange, type Wanted } from './endpoint-list';

/** The filters in the list's address. */
export function useWanted(): Wanted {
  const [{ state, type, q, sort }] = useAddress();
  return useMemo(() => ({ state, type, text: q, sort }), [state, type, q, sort]);
}

export function isFiltered({ state, type, text }: Wanted): boolean {
  return state !== undefined || type !== undefined || text !== undefined;
}

/** Chooses which endpoints are listed, and in which order. The states say how many they are. */
export function EndpointFilters({ endpoints }: { endpoints: Parameters<typeof arrange>[0] }) {
  const { t } = useLingui();
  const [{ data }] = useQuery({ query: EVENT_TYPES });
  const [{ state: chosen }] = useAddress();
  const many = (state?: string) => arrange(endpoints, { state }, Date.now()).length;
  return (
    <FilterRow>
      <SearchBox name="q" label={t`Name, URL, external ID`} />
      <AddressSelect
        name="state"
        label={t`State`}
        any={t`Any state (${many()})`}
        options={[
          { value: 'attention', name: t`Needs attention (${many('attention')})` },
          { value: 'active', name: t`Active (${many('active')})` },
          { value: 'paused', name: t`Paused (${many('paused')})` },
          { value: 'disabled', name: t`Disabled (${many('disabled')})` },
          // Installations that ask for no proof have none.
          ...(chosen === 'unverified' || many('unverified') > 0
            ? [{ value: 'unverified', name: t`Not verified (${many('unverified')})` }]
            : []),
        ]}
      />
      <AddressSelect
        name="type"
        label={t`Event type`}
        any={t`Any event type`}
        options={(data?.eventTypes ?? []).map(({ name }) => ({ value: name, name }))}
      />
      <div className="ms-auto max-sm:ms-0 max-cards:*:w-full">
        <AddressSelect
          name="sort"
          label={t`Order`}
          any={t`Needs attention first`}
          options={[
            { value: 'failure', name: t`Latest failure first` },
            { value: 'held', name: t`Most held first` },
            { value: 'newest', name: t`Newest first` },
            { value: 'url', name: t`By URL` },
          ]}
        />
      </div>
    </FilterRow>
  );
}
