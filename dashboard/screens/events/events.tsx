import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import { ERASE } from '../../../src/domain/keys/scopes';
import { Button } from '../../parts/button';
import { List, More, usePage } from '../../parts/list';
import { useLooking } from '../../parts/looking';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { useAddress, useGo } from '../../parts/place';
import { RangePicker, useRange } from '../../parts/range';
import { useReadAgain } from '../../parts/refresh';
import { TableSkeleton } from '../../parts/skeleton';
import { useAllowed, useViewer } from '../../parts/viewer';
import { EVENTS } from './documents';
import { EraseMatching } from './erase-matching';
import { useEventColumns } from './event-columns';
import { eventFilter } from './event-filter';
import { EventFilters } from './event-filters';
import { ProblemAnswer } from './problem-answer';

/** The events of a tenant, the newest first. */
export default function Events() {
  const { t } = useLingui();
  const go = useGo();
  const seesDeliveries = useAllowed('deliveries:read');
  const mayErase = useAllowed(ERASE);
  const { filter, problem, data, error, fetching, readAgain, setAfter, pointer, showNew } = useEvents(seesDeliveries);
  const columns = useEventColumns(seesDeliveries, filter.payloadContains);
  const rows = data?.events?.edges.map(({ node }) => node) ?? [];
  return (
    <>
      <PageHead
        title={t`Events`}
        actions={
          <>
            {mayErase && <EraseMatching filter={filter} />}
            <RangePicker />
          </>
        }
      />
      <EventFilters />
      {problem !== undefined && <ProblemAnswer problem={problem} />}
      {error && problem === undefined && <Failure error={error} retry={readAgain} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {data?.events && problem === undefined && (
        <Card flush>
          {rows.length === 0 ? (
            <Nothing />
          ) : (
            <div {...pointer}>
              {showNew && <ShowNew onClick={showNew} />}
              <List
                label={t`Events`}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                onOpen={({ databaseId }) => go(`/events/${databaseId}`)}
              />
              <More shown={rows.length} page={data.events.pageInfo} busy={fetching} onMore={setAfter} />
            </div>
          )}
        </Card>
      )}
      {data?.events && <Kept />}
    </>
  );
}

/** The events that the address asks for. `showNew`: false while there is nothing new. */
function useEvents(seesDeliveries: boolean) {
  const [address] = useAddress();
  const range = useRange();
  const { filter, problem } = eventFilter(address, range, Date.now());
  const [after, setAfter] = usePage(filter);
  const [{ data, error, fetching }, read] = useQuery({
    query: EVENTS,
    variables: { filter, after, deliveries: seesDeliveries, text: filter.payloadContains ?? null },
    pause: problem !== undefined,
  });
  const [looking, setLooking] = useState(false);
  const [pointer, lookAway] = useLooking(setLooking);
  const [waiting, setWaiting] = useState(false);
  const readAgain = () => {
    setWaiting(false);
    read();
  };
  // Rows do not move under the pointer, nor when somebody has gone on to later pages.
  useReadAgain(
    () => (looking || after !== null ? setWaiting(true) : readAgain()),
    seesDeliveries && range.until === undefined && problem === undefined,
  );
  const showNew = () => {
    setAfter(null);
    lookAway();
    readAgain();
  };
  return { filter, problem, data, error, fetching, readAgain, setAfter, pointer, showNew: waiting && showNew };
}

function ShowNew({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="w-full border-b border-line bg-accent-soft py-1.5 text-center text-sm font-medium text-accent"
    >
      <Trans>Show new events</Trans>
    </button>
  );
}

function Nothing() {
  const [address, setAddress] = useAddress();
  const filtered = ['type', 'key', 'text'].some((name) => address[name] !== undefined);
  return (
    <Empty
      title={filtered ? <Trans>No matching events</Trans> : <Trans>No events</Trans>}
      action={
        filtered && (
          <Button onClick={() => setAddress({ type: undefined, key: undefined, text: undefined })}>
            <Trans>Show all events</Trans>
          </Button>
        )
      }
    >
      <Trans>Events appear here as they are emitted. Choose a longer range to see older ones.</Trans>
    </Empty>
  );
}

/** The sentence that says how long payloads are kept. */
function Kept() {
  const { tenant, retention } = useViewer();
  const days = tenant?.retentionDays ?? retention.deliveryDays;
  return (
    <p className="mt-3 text-xs text-soft">
      <Plural value={days} one="Payloads are kept for # day." other="Payloads are kept for # days." />
    </p>
  );
}
