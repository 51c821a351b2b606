import { Trans, useLingui } from '@lingui/react/macro';
import { ArrowUp } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { CombinedError } from 'urql';
import { Button, buttonLook } from '../../parts/button';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { useAllowed } from '../../parts/viewer';
import { VirtualList } from '../../parts/virtual-list';
import { count } from '../../text/numbers';
import { AllMatching } from './bulk/all-matching';
import { ChosenBar } from './bulk/chosen-bar';
import { FilterBar } from './filters/filter-bar';
import { canCheck, type Filters, filtersIn, toFilter } from './filters/filters';
import { useColumns } from './list/columns';
import { ExportMenu } from './list/export-menu';
import { type Row, useFeed } from './list/use-feed';

/** How many rows a tick of all chooses: each is sent again or canceled by a request of its own. */
const CHOSEN_AT_ONCE = 100;

/** The deliveries of a tenant, newest first, as they are made and change. */
export default function Deliveries() {
  const { t } = useLingui();
  const go = useGo();
  const mayResend = useAllowed('deliveries:resend');
  const mayBulk = useAllowed('deliveries:bulk');
  const [address, setAddress] = useAddress();
  const key = JSON.stringify(filtersIn(address));
  const filters = useMemo(() => JSON.parse(key) as Filters, [key]);
  const filter = useMemo(() => toFilter(filters, Date.now()), [filters]);
  const feed = useFeed(filter);
  const columns = useColumns();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const [toStart, setToStart] = useState(0);
  const chosenKeys = useMemo(() => new Set(chosen.keys()), [chosen]);
  useEffect(() => feed.hold('chosen', chosen.size > 0), [feed, chosen]);
  const onToggle = useCallback(
    (row: Row) =>
      setChosen((before) => {
        const next = new Map(before);
        if (!next.delete(row.id)) {
          next.set(row.id, row);
        }
        return next;
      }),
    [],
  );
  const toggleAll = () =>
    setChosen(chosen.size > 0 ? new Map() : new Map(feed.kept.slice(0, CHOSEN_AT_ONCE).map((row) => [row.id, row])));
  const isFiltered = Object.keys(filters).length > 0;
  const error = feed.error as CombinedError | undefined;
  return (
    <>
      <PageHead
        title={t`Deliveries`}
        actions={
          <>
            <ExportMenu feed={feed} />
            {mayBulk && <AllMatching filters={filters} filter={filter} onChange={setAddress} />}
          </>
        }
      />
      <FilterBar filters={filters} onChange={setAddress} />
      {error !== undefined && (
        <div className="mb-3">
          <Failure error={error} retry={() => feed.retry()} />
        </div>
      )}
      {feed.isRead && (
        <Card flush>
          {feed.count === 0 ? (
            <Nothing isFiltered={isFiltered} />
          ) : (
            <VirtualList
              label={t`Deliveries`}
              columns={columns}
              count={feed.count}
              rowAt={(index) => feed.at(index)}
              keyOf={({ id }) => id}
              onOpen={({ databaseId }) => go(`/deliveries/${databaseId}`)}
              chosen={chosenKeys}
              {...(mayResend && { onToggle, toggleAll })}
              onShow={(first, last) => feed.show(first, last)}
              onLook={(looks) => feed.hold('looking', looks)}
              more={feed.hasMore}
              toStart={toStart}
            >
              {feed.waitingCount > 0 && (
                <div className="pointer-events-none absolute inset-x-0 top-10 z-2 flex justify-center *:pointer-events-auto">
                  <Button
                    look="primary"
                    icon={<ArrowUp />}
                    onClick={() => {
                      feed.letIn();
                      setToStart(toStart + 1);
                    }}
                  >
                    <Trans>{count(feed.waitingCount)} new</Trans>
                  </Button>
                </div>
              )}
            </VirtualList>
          )}
          {(feed.count > 0 || !canCheck(filter)) && (
            <div className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3.5 py-1.5 text-xs text-soft">
              {chosen.size > 0 ? (
                <ChosenBar rows={asTheyAre(chosen, feed.kept)} onClear={() => setChosen(new Map())} />
              ) : (
                <>
                  <span className="figures">
                    {feed.hasMore ? (
                      <Trans>{count(feed.count)} read so far; scroll for more.</Trans>
                    ) : (
                      <Trans>{count(feed.count)} in all.</Trans>
                    )}
                  </span>
                  {!canCheck(filter) && (
                    <span>
                      <Trans>
                        New deliveries do not come in by themselves: only the search itself finds a key or a text.
                      </Trans>{' '}
                      <button type="button" onClick={() => void feed.reload()} className="text-accent underline">
                        <Trans>Search again</Trans>
                      </button>
                    </span>
                  )}
                </>
              )}
            </div>
          )}
        </Card>
      )}
    </>
  );
}

/** Chosen rows may have changed since, or be out of sight. */
function asTheyAre(chosen: ReadonlyMap<string, Row>, kept: readonly Row[]): Row[] {
  const current = new Map(kept.map((row) => [row.id, row]));
  return [...chosen.values()].map((row) => current.get(row.id) ?? row);
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title={<Trans>No delivery matches these filters.</Trans>}>
        <Trans>Take a filter off, or choose a longer time.</Trans>
      </Empty>
    );
  }
  return (
    <Empty
      title={<Trans>There is no delivery yet.</Trans>}
      action={
        <Link to="/endpoints" className={buttonLook('primary')}>
          <Trans>Look at the endpoints</Trans>
        </Link>
      }
    >
      <Trans>Each event that an endpoint gets is a delivery. Send a test to see one.</Trans>
    </Empty>
  );
}
