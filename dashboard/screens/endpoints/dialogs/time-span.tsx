import { Trans } from '@lingui/react/macro';
import { Field, TextInput } from '../../../parts/field';

/** Two moments as inputs of date and time have them, in the person's zone; an empty end means now. */
export interface Span {
  since: string;
  until: string;
}

export function spanOfLast(ms: number): Span {
  const at = new Date(Date.now() - ms);
  return {
    since: new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
    until: '',
  };
}

/** The span as the API takes it; undefined while the beginning is missing or the end comes before it. */
export function filterOf({ since, until }: Span): { since: string; until?: string } | undefined {
  const from = new Date(since).getTime();
  const to = until === '' ? Number.POSITIVE_INFINITY : new Date(until).getTime();
  if (Number.isNaN(from) || !(from < to)) {
    return undefined;
  }
  return {
    since: new Date(from).toISOString(),
    ...(until === '' ? {} : { until: new Date(to).toISOString() }),
  };
}

export function SpanFields({ span, onChange }: { span: Span; onChange: (span: Span) => void }) {
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <Field name={<Trans>From</Trans>}>
        {(props) => (
          <TextInput
            {...props}
            type="datetime-local"
            required
            value={span.since}
            onChange={({ target }) => onChange({ ...span, since: target.value })}
          />
        )}
      </Field>
      <Field
        name={<Trans>Until</Trans>}
        hint={<Trans>Empty means now.</Trans>}
        error={filterOf(span) === undefined && <Trans>The end must be after the beginning.</Trans>}
      >
        {(props) => (
          <TextInput
            {...props}
            type="datetime-local"
            value={span.until}
            onChange={({ target }) => onChange({ ...span, until: target.value })}
          />
        )}
      </Field>
    </div>
  );
}
