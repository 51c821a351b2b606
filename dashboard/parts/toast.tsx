import type { ReactNode } from 'react';
import { laterScript } from '../api/scripts';

const loadViewport = laterScript(() => import('./toast-viewport'));

/** Says for some seconds, at the edge of the page, what has just been done. Errors belong where they arose instead. */
export function notify(title: ReactNode, description?: ReactNode): void {
  loadViewport().then(
    ({ addToast }) => addToast(title, description),
    () => {}, // what was done is seen on the screen, too
  );
}
