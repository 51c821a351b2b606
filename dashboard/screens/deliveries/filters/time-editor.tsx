import { Trans } from '@lingui/react/macro';
import type { FormEvent } from 'react';
import { Button } from '../../../parts/button';
import { Field, TextInput } from '../../../parts/field';
import { momentIn } from '../../../text/moments';
import type { Filters } from './filters';

/** A time of one's own: from, until, or both. */
export function TimeEditor({ filters, onDone }: { filters: Filters; onDone: (change: Filters) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const since = momentIn(String(form.get('since')));
    const until = momentIn(String(form.get('until')));
    onDone({ range: undefined, since, until });
  };
  return (
    <form onSubmit={submit} className="mt-1 border-t border-line p-2">
      <Field name={<Trans>From</Trans>} hint={<Trans>Empty: as far back as deliveries are kept.</Trans>}>
        {(props) => <TextInput {...props} name="since" type="datetime-local" defaultValue={toInput(filters.since)} />}
      </Field>
      <Field name={<Trans>Until</Trans>} hint={<Trans>Empty: now.</Trans>}>
        {(props) => <TextInput {...props} name="until" type="datetime-local" defaultValue={toInput(filters.until)} />}
      </Field>
      <div className="mt-1 flex justify-end">
        <Button type="submit" look="primary">
          <Trans>Filter</Trans>
        </Button>
      </div>
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
