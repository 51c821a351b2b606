import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { CombinedError } from 'urql';
import { Button } from './button';
import { Failure } from './page';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  actions?: ReactNode;
  width?: 'normal' | 'wide' | 'columns';
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

const BACKDROP =
  'fixed inset-0 z-20 bg-black/35 dark:bg-black/55 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0';
const POPUP =
  'fixed inset-x-0 top-[8vh] z-20 mx-auto flex max-h-[84vh] w-[min(calc(100vw-1.5rem),var(--width))] flex-col rounded-xl border border-line bg-raised shadow-2xl transition-[opacity,transform] data-ending-style:opacity-0 data-starting-style:-translate-y-1 data-starting-style:opacity-0';
const FIELD = ':is(input:not([type=radio]), input:checked, select, textarea):not(:disabled)';
const WIDTHS = { normal: '[--width:32rem]', wide: '[--width:52rem]', columns: '[--width:76rem]' } as const;

/** The field that a dialog names, or its first one. */
const firstOf = (body: HTMLElement | null) =>
  body?.querySelector<HTMLElement>('[data-first]') ?? body?.querySelector<HTMLElement>(FIELD) ?? true;

export function DialogWindow({ open, onClose, title, children, actions, width = 'normal', stays }: DialogProps) {
  const { t } = useLingui();
  const body = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={(next) => !next && !stays && onClose()}
      disablePointerDismissal={stays ?? false}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        <BaseDialog.Popup
          className={`${POPUP} ${WIDTHS[width]}`}
          // What is asked for, not the button that closes. A touch would bring up the keyboard.
          initialFocus={(by) => (by === 'touch' ? true : firstOf(body.current))}
        >
          <div className="flex min-h-11.5 items-center justify-between gap-3 border-b border-line py-2 ps-4 pe-2">
            <BaseDialog.Title className="font-semibold">{title}</BaseDialog.Title>
            {!stays && <Button look="quiet" icon={<X />} label={t`Close`} onClick={onClose} />}
          </div>
          <div ref={body} className="min-h-0 overflow-auto p-4">
            {children}
          </div>
          {actions !== undefined && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{actions}</div>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export function ConfirmWindow({ open, onClose, title, children, action, onConfirm, busy, error }: ConfirmProps) {
  const { t } = useLingui();
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={`${POPUP} [--width:28rem]`}>
          <div className="p-4">
            <AlertDialog.Title className="mb-1.5 font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div className="text-sm text-soft" />}>{children}</AlertDialog.Description>
            {error && (
              <div className="mt-3">
                <Failure error={error} />
              </div>
            )}
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
            <Button onClick={onClose}>{t`Close`}</Button>
            <Button look="danger" onClick={onConfirm} disabled={busy}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
