import { useEffect, useRef } from 'react';

/**
 * Asks again every now and then while somebody looks at the page: for what has no stream.
 *
 * @param again as useQuery hands it out.
 */
export function usePoll(again: (options: { requestPolicy: 'network-only' }) => void, everyMs: number): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) {
        latest.current({ requestPolicy: 'network-only' });
      }
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
