import { Trans, useLingui } from '@lingui/react/macro';
import { ArrowUp } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, buttonLook } from '../../../parts/button';
import { CARDS } from '../../../parts/list';
import { useMedia } from '../../../parts/media';
import { Card, Empty } from '../../../parts/page';
import { Link, useGo } from '../../../parts/place';
import { useAllowed } from '../../../parts/viewer';
import { VirtualList } from '../../../parts/virtual-list';
import { whenWanted } from '../../../parts/when-wanted';
import { count } from '../../../text/numbers';
import { useDeliveryKeys } from '../one/use-delivery-keys';
import { useSend } from '../one/use-send';
import { useColumns } from './columns';
import type { Feed } from './feed';
import { useChosen } from './use-chosen';
import type { Row } from './use-feed';
import { PreviewsContext, usePreviews } from './use-previews';

const ChosenBar = whenWanted(async () => ({ default: (await import('../bulk/chosen-bar')).ChosenBar }));
const CancelDialog = whenWanted(async () => ({ default: (await import('../one/cancel-dialog')).CancelDialog }));

/**
 * The rows of the list, and a footer: how many there are, or what can be done with the chosen ones.
 *
 * @param props.isLive new deliveries come by themselves
 * @param props.text that payloads are searched for
 */
export function DeliveryList({
  feed,
  isFiltered,
  isLive,
  text,
}: {
  feed: Feed<Row>;
  isFiltered: boolean;
  isLive: boolean;
  text: string | undefined;
}) {
  const { t } = useLingui();
  const go = useGo();
  const mayResend = useAllowed('deliveries:resend');
  const chosen = useChosen(feed);
  const [at, setAt] = useState<number>();
  const [canceling, setCanceling] = useState<Row>();
  const [sendOf] = useSend();
  const actionsOn = (row: Row) => ({ send: sendOf(row), cancel: () => setCanceling(row) });
  const payloads = usePreviews(text);
  const columns = useColumns(mayResend ? actionsOn : undefined, payloads !== undefined);
  const current = at === undefined ? undefined : feed.at(at);
  // A card is high, and no pointer says that somebody reads it: what is new waits for its button.
  const waits = useMedia(CARDS) && feed.count > 0;
  useEffect(() => feed.freeze('cards', waits), [feed, waits]);
  useDeliveryKeys(current, current && mayResend ? actionsOn(current) : undefined);
  return (
    <Card flush>
      {feed.count === 0 ? (
        <Nothing isFiltered={isFiltered} />
      ) : (
        <PreviewsContext value={payloads}>
          <VirtualList
            label={t`Deliveries`}
            columns={columns}
            count={feed.count}
            rowAt={(index) => feed.at(index)}
            keyOf={({ id }) => id}
            onOpen={({ databaseId }) => go(`/deliveries/${databaseId}`)}
            onGo={setAt}
            choice={mayResend ? chosen : undefined}
            onShow={(first, last) => {
              feed.show(first, last);
              payloads?.previews.want(feed.between(first, last).map(({ eventId }) => eventId));
            }}
            onLook={(looks) => feed.freeze('looking', looks)}
            more={feed.hasMore}
            header={(toStart) => feed.newCount > 0 && <ShowNew feed={feed} onShown={toStart} />}
          />
        </PreviewsContext>
      )}
      <CancelDialog wanted={canceling !== undefined} delivery={canceling} onClose={() => setCanceling(undefined)} />
      <ListFooter feed={feed} chosen={chosen} isLive={isLive} />
    </Card>
  );
}

function ShowNew({ feed, onShown }: { feed: Feed<Row>; onShown: () => void }) {
  const show = () => {
    feed.showNew();
    onShown();
  };
  return (
    <div className="pointer-events-none absolute inset-x-0 top-10 z-2 flex justify-center *:pointer-events-auto">
      <Button look="primary" icon={<ArrowUp />} onClick={show}>
        <Trans>{count(feed.newCount)} new</Trans>
      </Button>
    </div>
  );
}

function ListFooter({
  feed,
  chosen: { rows, clear },
  isLive,
}: {
  feed: Feed<Row>;
  chosen: ReturnType<typeof useChosen>;
  isLive: boolean;
}) {
  if (rows.length > 0) {
    return (
      <Footer>
        <ChosenBar wanted rows={rows} onClear={clear} />
      </Footer>
    );
  }
  return (
    (feed.count > 0 || !isLive) && (
      <Footer>
        <Count feed={feed} />
        {!isLive && <SearchAgain onSearch={() => void feed.reload()} />}
      </Footer>
    )
  );
}

function Footer({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3.5 py-1.5 text-xs text-soft">
      {children}
    </div>
  );
}

function Count({ feed }: { feed: Feed<Row> }) {
  return (
    <span className="figures">
      {feed.hasMore ? (
        <Trans>{count(feed.count)} loaded; scroll for more.</Trans>
      ) : (
        <Trans>{count(feed.count)} in total.</Trans>
      )}
    </span>
  );
}

function SearchAgain({ onSearch }: { onSearch: () => void }) {
  return (
    <span>
      <Trans>This filter cannot update live. Search again to see new deliveries.</Trans>{' '}
      <button type="button" onClick={onSearch} className="text-accent underline">
        <Trans>Search again</Trans>
      </button>
    </span>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title={<Trans>No matching deliveries</Trans>}>
        <Trans>Remove a filter or choose a longer period.</Trans>
      </Empty>
    );
  }
  return (
    <Empty
      title={<Trans>No deliveries</Trans>}
      action={
        <Link to="/endpoints" className={buttonLook('primary')}>
          <Trans>View endpoints</Trans>
        </Link>
      }
    >
      <Trans>Each event sent to an endpoint is a delivery. Send a test to see one.</Trans>
    </Empty>
  );
}
