import { Trans } from '@lingui/react/macro';
import { TextField } from './field';

/** Two moments as inputs of date and time have them, in the person's zone; an empty end means now. */
export interface Span {
  since: string;
  until: string;
}

export function spanOfLast(ms: number): Span {
  return { since: inputOf(Date.now() - ms), until: '' };
}

/** The span of a filter; an empty beginning means that there is none. */
export function spanOf({ since, until }: { since?: string | undefined; until?: string | undefined }): Span {
  return { since: since ? inputOf(Date.parse(since)) : '', until: until ? inputOf(Date.parse(until)) : '' };
}

function inputOf(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
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

/** As `filterOf`, where the beginning may be empty too. */
export function openFilterOf(span: Span): { since?: string; until?: string } | undefined {
  if (span.since !== '') {
    return filterOf(span);
  }
  return span.until === '' ? {} : { until: new Date(span.until).toISOString() };
}

/** @param open the beginning may be empty */
export function SpanFields({
  span,
  onChange,
  open = false,
}: {
  span: Span;
  onChange: (span: Span) => void;
  open?: boolean;
}) {
  const isWrong = (open ? openFilterOf : filterOf)(span) === undefined;
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <TextField
        name={<Trans>From</Trans>}
        type="datetime-local"
        required={!open}
        value={span.since}
        onChange={(since) => onChange({ ...span, since })}
      />
      <TextField
        name={<Trans>Until</Trans>}
        hint={<Trans>Empty means now.</Trans>}
        error={isWrong && <Trans>The end must be after the beginning.</Trans>}
        type="datetime-local"
        value={span.until}
        onChange={(until) => onChange({ ...span, until })}
      />
    </div>
  );
}
