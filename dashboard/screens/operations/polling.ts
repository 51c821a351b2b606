import { useEffect, useRef } from 'react';

const EVERY_MS = 2_000;

/** Asks again every two seconds while something goes on of which no stream tells, and the page is seen. */
export function usePolling(
  active: boolean,
  again: (options: { requestPolicy: 'network-only' }) => void,
): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    if (!active) {
      return;
    }
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') {
        latest.current({ requestPolicy: 'network-only' });
      }
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [active]);
}
