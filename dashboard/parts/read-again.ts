import { useEffect, useRef } from 'react';
import { useClient } from 'urql';
import { graphql } from '../api/generated';

const CHANGES = graphql(`
  subscription Changes {
    deliveryUpdated { cursor resync }
  }
`);

/** Figures of many deliveries are read again at most this often, however many of them change. */
const PAUSE_MS = 5_000;

/**
 * Calls `read` after deliveries of the tenant have changed, for screens whose figures cannot follow each change by
 * itself. Nothing is followed while `wanted` is false: a range in the past, a key that may not read deliveries.
 */
export function useReadAgain(read: () => void, wanted: boolean): void {
  const client = useClient();
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    if (!wanted) {
      return;
    }
    let lastRead = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readSoon = () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          lastRead = Date.now();
          latest.current();
        },
        Math.max(0, lastRead + PAUSE_MS - Date.now()),
      );
    };
    const { unsubscribe } = client
      .subscription(CHANGES, {})
      .subscribe(({ data }) => data?.deliveryUpdated && readSoon());
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [client, wanted]);
}
