import { Trans } from '@lingui/react/macro';
import { type FormEvent, type ReactNode, useId } from 'react';
import type { CombinedError } from 'urql';
import { Button } from './button';
import { Dialog } from './dialog';
import { REFUSAL, useFirstRefusal } from './first-refusal';
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
  /** Why the button cannot be pressed: it is said beside it. */
  refused?: string | undefined;
  /** `columns`: for a form with a view beside it. */
  wide?: boolean | 'columns';
  onClose: () => void;
  children: ReactNode;
}) {
  const id = useId();
  const place = useFirstRefusal(form.busy);
  const why = action === undefined ? undefined : refused;
  return (
    <Dialog
      open
      width={wide === 'columns' ? wide : wide ? 'wide' : 'normal'}
      onClose={onClose}
      title={title}
      actions={
        <>
          {why !== undefined && (
            <p id={`${id}-why`} className="me-auto min-w-0 flex-1 basis-60 self-center text-xs text-soft">
              {why}
            </p>
          )}
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
              aria-describedby={why === undefined ? undefined : `${id}-why`}
            >
              {action}
            </Button>
          )}
        </>
      }
    >
      <form ref={place} id={id} noValidate onSubmit={form.submit} className="flex flex-col gap-3">
        {children}
        {form.error && (
          <div {...REFUSAL}>
            <Failure error={form.error} />
          </div>
        )}
      </form>
    </Dialog>
  );
}
