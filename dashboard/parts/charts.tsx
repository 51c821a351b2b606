import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useMedia } from './media';

/** Charts, two in a row, or four where there is room. On a phone they are swiped, so that what follows is not far away. */
export function Charts({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const isPhone = useMedia('(width < 30rem)');
  return (
    <fieldset
      aria-label={t`Charts`}
      // A box that scrolls takes the keyboard's focus, so that arrow keys can scroll it. It is positioned, so that the
      // tables for readers are in what scrolls.
      tabIndex={isPhone ? 0 : undefined}
      className="relative grid min-w-0 gap-4 lg:grid-cols-2 xl:grid-cols-4 max-cards:flex max-cards:snap-x max-cards:snap-mandatory max-cards:gap-2 max-cards:overflow-x-auto max-cards:*:w-[92%] max-cards:*:shrink-0 max-cards:*:snap-start"
    >
      {children}
    </fieldset>
  );
}
