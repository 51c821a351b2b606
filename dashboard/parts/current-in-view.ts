import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** Brings the link to the current screen into view, in a row of links that is longer than a phone is wide. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address brings another link
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (row.current && current) {
      row.current.scrollLeft = current.offsetLeft - (row.current.clientWidth - current.offsetWidth) / 2;
    }
  }, [pathname]);
  return row;
}
