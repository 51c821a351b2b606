import { useEffect, useRef } from 'react';

/** Marks what a service says of values that are no single input. */
export const REFUSAL = { 'data-refusal': '', tabIndex: -1 } as const;

/**
 * Leads to the first value that a save has refused: a form may be taller than its window, and look as if nothing
 * happened.
 *
 * @param busy whether it is being saved
 * @returns for the form
 */
export function useFirstRefusal(busy: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy) {
      const first = form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-refusal]');
      first?.focus({ preventScroll: true });
      first?.scrollIntoView({ block: 'center' });
    }
    wasBusy.current = busy;
  }, [busy]);
  return form;
}
