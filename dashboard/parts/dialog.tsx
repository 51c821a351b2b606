import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { whenWanted } from './when-wanted';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  actions?: ReactNode;
  width?: 'normal' | 'wide';
  /** Only a button closes it: for what is shown once, such as a secret. */
  stays?: boolean;
}

export interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** The verb of what will happen: `Delete the endpoint`, never `OK`. */
  action: string;
  onConfirm: () => void;
  busy?: boolean;
  /** Why it was refused, below what will happen. */
  error?: CombinedError | undefined;
}

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
