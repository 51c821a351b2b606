import { useEffect, useRef } from 'react';
import { useSubscription } from 'urql';
import { graphql } from '../api/generated';

const CHANGES = graphql(`
  subscription Changes {
    deliveryUpdated { cursor resync }
  }
`);

/** Figures of many deliveries are read again at most this often, however many of them change. */
const CHANGES_EVERY_MS = 5_000;

/**
 * Reads again what changes without telling, while somebody can see it.
 *
 * @param read is called every so often, and when the page is shown again.
 * @param everyMs undefined while nothing changes.
 */
export function useRefresh(read: () => void, everyMs: number | undefined): void {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    if (everyMs === undefined) {
      return;
    }
    const readIfShown = () => {
      if (!document.hidden) {
        latest.current();
      }
    };
    const timer = setInterval(readIfShown, everyMs);
    document.addEventListener('visibilitychange', readIfShown);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', readIfShown);
    };
  }, [everyMs]);
}

/** Calls `read` soon, however often the returned function is called: once at once, then at most once in `everyMs`. */
export function useThrottled(read: () => void, everyMs: number): () => void {
  const latest = useRef(read);
  latest.current = read;
  const state = useRef({ lastAt: 0, timer: undefined as ReturnType<typeof setTimeout> | undefined });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useRef(() => {
    state.current.timer ??= setTimeout(
      () => {
        state.current = { lastAt: Date.now(), timer: undefined };
        latest.current();
      },
      Math.max(0, state.current.lastAt + everyMs - Date.now()),
    );
  }).current;
}

/**
 * Calls `read` after deliveries of the tenant have changed, for screens whose figures cannot follow each change by
 * itself. Nothing is followed while `wanted` is false: a range in the past, a key that may not read deliveries.
 */
export function useReadAgain(read: () => void, wanted: boolean): void {
  const readSoon = useThrottled(read, CHANGES_EVERY_MS);
  useSubscription({ query: CHANGES, pause: !wanted }, readSoon);
}
