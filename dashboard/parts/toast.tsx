import type { ReactNode } from 'react';

/** Says for some seconds, at the edge of the page, what has just been done. Errors belong where they arose instead. */
export function notify(title: ReactNode, description?: ReactNode): void {
  void import('./toast-viewport').then(({ addToast }) => addToast(title, description));
}
