import { Trans } from '@lingui/react/macro';
import { type FormEvent, type ReactNode, useId } from 'react';
import type { CombinedError } from 'urql';
import { Button } from './button';
import { Dialog } from './dialog';
import { Failure } from './page';

/** A form in a window, with its button, and Cancel beside it. */
export function FormDialog({
  form,
  title,
  action,
  danger,
  ready = true,
  refused,
  wide,
  onClose,
  children,
}: {
  form: { submit: (event: FormEvent) => void; busy: boolean; error: CombinedError | undefined };
  title: ReactNode;
  /** The button; undefined while the form cannot be sent at all. */
  action: ReactNode | undefined;
  danger?: boolean;
  ready?: boolean;
  /** Why the button cannot be pressed. */
  refused?: string | undefined;
  /** `columns`: for a form with a view beside it. */
  wide?: boolean | 'columns';
  onClose: () => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Dialog
      open
      width={wide === 'columns' ? wide : wide ? 'wide' : 'normal'}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          {action !== undefined && (
            <Button
              type="submit"
              form={id}
              look={danger ? 'danger' : 'primary'}
              disabled={form.busy || !ready}
              refused={refused}
            >
              {action}
            </Button>
          )}
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.submit} className="flex flex-col gap-3">
        {children}
        {form.error && <Failure error={form.error} />}
      </form>
    </Dialog>
  );
}
