import { Trans } from '@lingui/react/macro';
import type { FormEvent, ReactNode } from 'react';
import { momentIn } from '../text/moments';
import { Button } from './button';
import { Field, TextInput } from './field';

/** Asks for a time from one moment until another one. */
export function TimeForm({
  since,
  until,
  required = false,
  action,
  onChosen,
}: {
  since: string | undefined;
  until: string | undefined;
  /** Whether it must have a beginning. */
  required?: boolean;
  action: ReactNode;
  /** Both in ISO 8601. */
  onChosen: (times: { since: string | undefined; until: string | undefined }) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onChosen({ since: momentIn(String(form.get('since'))), until: momentIn(String(form.get('until'))) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-1">
      <Field name={<Trans>From</Trans>} hint={!required && <Trans>Empty: as far back as deliveries are kept.</Trans>}>
        {(props) => (
          <TextInput {...props} name="since" type="datetime-local" required={required} defaultValue={toInput(since)} />
        )}
      </Field>
      <Field name={<Trans>Until</Trans>} hint={<Trans>Empty: now.</Trans>}>
        {(props) => <TextInput {...props} name="until" type="datetime-local" defaultValue={toInput(until)} />}
      </Field>
      <Button type="submit" look="primary">
        {action}
      </Button>
    </form>
  );
}

/** A moment as an input of date and time has it, in the person's zone. */
function toInput(value: string | undefined): string {
  if (value === undefined) {
    return '';
  }
  const at = new Date(value);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
