import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { type Client, CombinedError, useClient } from 'urql';
import { createFeedClient } from '../../../api/client';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import type { StreamContext } from '../../../api/live';
import { isPassing } from '../../../api/passing';
import { DELIVERIES, DELIVERY_UPDATES } from '../documents';
import { canCheck, type DeliveryFilterInput, matches } from '../filters/filters';
import { Feed, type ReadPage } from './feed';

export type Row = DeliveryRowFragment;

/** The API returns at most this many at once. */
const PAGE_ROWS = 100;
/** How long after a failed read the page is read again, while the service is away. */
const AGAIN_MS = 3_000;

/**
 * The deliveries that match, as they are made and change. With another filter the list stays what it was until the other
 * one has been read.
 *
 * @param filter the same object until the filter changes
 */
export function useFeed(filter: DeliveryFilterInput): Feed<Row> {
  const client = useClient();
  const feed = useMemo(() => {
    const pages = createFeedClient(client);
    return new Feed<Row>(
      (after) => readPage(pages, filter, after),
      canCheck(filter) ? (row) => matches(filter, row) : undefined,
    );
  }, [client, filter]);
  useSyncExternalStore(feed.subscribe, feed.readVersion);
  useEffect(() => {
    // Not by state: a row that leaves the state must be seen to leave it.
    const variables = { webhookId: filter.webhookId ?? null, eventType: filter.eventType ?? null };
    const context: StreamContext = { onBegin: () => void feed.catchUp() };
    const stream = client.subscription(DELIVERY_UPDATES, variables, context).subscribe(({ data }) => {
      if (data?.deliveryUpdated.resync) {
        void feed.reload();
      } else if (data?.deliveryUpdated.delivery) {
        feed.update(data.deliveryUpdated.delivery);
      }
    });
    void feed.reload();
    return () => stream.unsubscribe();
  }, [client, feed, filter]);
  useEffect(() => {
    const { error } = feed;
    if (error instanceof CombinedError && isPassing(error)) {
      const timer = setTimeout(() => feed.retry(), AGAIN_MS);
      return () => clearTimeout(timer);
    }
  }, [feed, feed.error]);
  const latest = useRef(feed);
  if (feed.isRead || feed.error !== undefined) {
    latest.current = feed;
  }
  return latest.current;
}

/** @throws CombinedError what the API or the network said */
async function readPage(client: Client, filter: DeliveryFilterInput, after: string | null): Promise<ReadPage<Row>> {
  const { data, error } = await client.query(DELIVERIES, { filter, first: PAGE_ROWS, after }).toPromise();
  if (data?.deliveries == null) {
    throw error;
  }
  const { edges, pageInfo } = data.deliveries;
  return {
    rows: edges.map(({ node }) => node),
    end: pageInfo.endCursor ?? null,
    hasMore: pageInfo.hasNextPage,
  };
}
