import type { ConfirmProps, DialogProps } from './dialog-windows';
import { whenWanted } from './when-wanted';

const LazyDialog = whenWanted(async () => ({ default: (await import('./dialog-windows')).DialogWindow }));
const LazyConfirm = whenWanted(async () => ({ default: (await import('./dialog-windows')).ConfirmWindow }));

/** A window over the screen: for a form, or something to read. Escape and the backdrop close it. */
export function Dialog(props: DialogProps) {
  return <LazyDialog wanted={props.open} {...props} />;
}

/** Asks before something that cannot be undone. `children` name what will happen, in numbers. */
export function Confirm(props: ConfirmProps) {
  return <LazyConfirm wanted={props.open} {...props} />;
}
