import { type RefObject, useLayoutEffect, useState } from 'react';

/** So many rows before and after those that are seen are in the page too: scrolling shows no gap. */
const AROUND = 12;

/**
 * The rows of a box that scrolls which are seen, and some around them. All rows are equally high, below a heading that
 * stays at the top of the box.
 *
 * @returns from which row on, until before which; and what scrolls a row into sight
 */
export function useRowWindow(
  box: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
): [from: number, to: number, show: (index: number) => void] {
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    const look = () => {
      const { scrollTop = 0, clientHeight = 0 } = element ?? {};
      const from = Math.floor(scrollTop / rowPx) - AROUND;
      const to = Math.ceil((scrollTop + clientHeight) / rowPx) + AROUND;
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const sizes = new ResizeObserver(look);
    look();
    sizes.observe(element!);
    element?.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element?.removeEventListener('scroll', look);
    };
  }, [box, rowPx]);
  const show = (index: number) => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const headPx = box.current?.querySelector('thead')?.offsetHeight ?? 0;
    const top = index * rowPx;
    const bottom = headPx + top + rowPx - clientHeight;
    box.current?.scrollTo({ top: Math.min(top, Math.max(bottom, scrollTop)) });
  };
  return [Math.max(0, Math.min(seen.from, count)), Math.min(seen.to, count), show];
}
