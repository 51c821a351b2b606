import { Trans } from '@lingui/react/macro';
import type { RefObject } from 'react';
import { Untrusted } from './untrusted';

/** A broken rule of a text, and its place there: offsets, and the line from 1 on. */
export interface PlacedIssue {
  detail: string;
  /** The name of the value that breaks it. */
  name?: string;
  place?: { start: number; end: number; line: number } | undefined;
}

/** The broken rules of a text area. Each leads to its place. */
export function PlacedIssues({
  area,
  issues,
}: {
  area: RefObject<HTMLTextAreaElement | null>;
  issues: readonly PlacedIssue[];
}) {
  const select = (start: number, end: number) => {
    area.current?.focus();
    area.current?.setSelectionRange(start, end);
  };
  return (
    issues.length > 0 && (
      <ul className="mt-1 flex flex-col gap-1 text-xs text-bad">
        {issues.map(({ detail, name = '', place }) => (
          <li key={`${name} ${detail}`} className="flex flex-wrap items-baseline gap-x-2">
            {place && (
              <button
                type="button"
                onClick={() => select(place.start, place.end)}
                className="figures inline-flex min-h-6 shrink-0 items-center rounded-sm bg-bad-soft px-1 font-medium underline-offset-2 hover:underline"
              >
                <Trans>line {place.line}</Trans>
              </button>
            )}
            {name !== '' && (
              <code className="font-mono text-ink">
                <Untrusted text={name} />
              </code>
            )}
            <span className="[overflow-wrap:anywhere]">
              <Untrusted text={detail} />
            </span>
          </li>
        ))}
      </ul>
    )
  );
}
