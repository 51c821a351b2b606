import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { CombinedError } from 'urql';
import { Failure, PageHead } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { useStable } from '../../parts/use-stable';
import { useAllowed } from '../../parts/viewer';
import { AllMatching } from './bulk/all-matching';
import { FilterBar } from './filters/filter-bar';
import { canCheck, filtersIn, toFilter } from './filters/filters';
import { DeliveryList } from './list/delivery-list';
import { ExportMenu } from './list/export-menu';
import { useFeed } from './list/use-feed';
import { Views } from './list/views';

/** The deliveries of a tenant, newest first, as they are made and change. */
export default function Deliveries() {
  const { t } = useLingui();
  const mayBulk = useAllowed('deliveries:bulk');
  const [address, setAddress] = useAddress();
  const filters = useStable(filtersIn(address));
  const filter = useMemo(() => toFilter(filters, Date.now()), [filters]);
  const feed = useFeed(filter);
  const error = feed.error as CombinedError | undefined;
  return (
    <>
      <PageHead
        title={t`Deliveries`}
        actions={
          <>
            <ExportMenu feed={feed} />
            {mayBulk && <AllMatching filters={filters} filter={filter} />}
          </>
        }
      />
      <Views filters={filters} filter={filter} onChange={setAddress} />
      <FilterBar filters={filters} onChange={setAddress} />
      {error !== undefined && (
        <div className="mb-3">
          <Failure error={error} retry={() => feed.retry()} />
        </div>
      )}
      {feed.isRead && (
        <DeliveryList
          feed={feed}
          isFiltered={Object.keys(filters).length > 0}
          isLive={canCheck(filter)}
          text={filter.payloadContains}
        />
      )}
    </>
  );
}
