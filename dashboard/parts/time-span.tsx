import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { Button } from './button';
import { MomentField } from './moment-field';

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

/** A moment as an input of date and time has it, in the person's zone. */
export function inputOf(ms: number): string {
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

/** Yesterday, from its beginning to its end. */
export function yesterday(): Span {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 1);
  const [date = ''] = inputOf(day.getTime()).split('T');
  return { since: `${date}T00:00`, until: `${date}T24:00` };
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
  const { t } = useLingui();
  const from = useRef<HTMLInputElement>(null);
  const isWrong = (open ? openFilterOf : filterOf)(span) === undefined;
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
      <div className="min-w-60 flex-1">
        <MomentField
          name={t`From`}
          hint={open && <Trans>Empty: as far back as deliveries are kept.</Trans>}
          timeRef={from}
          value={span.since}
          onChange={(since) => onChange({ ...span, since })}
        />
      </div>
      <div className="min-w-60 flex-1">
        <MomentField
          name={t`Until`}
          hint={<Trans>Empty means now.</Trans>}
          error={isWrong && <Trans>The end must be after the beginning.</Trans>}
          value={span.until}
          onChange={(until) => onChange({ ...span, until })}
        />
      </div>
      <div className="basis-full">
        <Button
          onClick={() => {
            onChange(yesterday());
            // Whoever means a part of the day goes on with its hours.
            requestAnimationFrame(() => from.current?.focus());
          }}
        >
          <Trans>Yesterday</Trans>
        </Button>
      </div>
    </div>
  );
}
