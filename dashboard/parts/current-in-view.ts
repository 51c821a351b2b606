import { type RefObject, useEffect, useRef } from 'react';

/** Brings the link to the current screen into view, in a row of links that is longer than a phone is wide. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  const shown = useRef<HTMLElement>(null);
  // The address changes before its screen is there, and the link with the screen. So each render looks.
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (row.current && current && current !== shown.current) {
      shown.current = current;
      row.current.scrollLeft = current.offsetLeft - (row.current.clientWidth - current.offsetWidth) / 2;
    }
  });
  return row;
}
