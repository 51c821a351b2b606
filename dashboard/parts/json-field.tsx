import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { placeOf } from '../text/json-places';
import { Button } from './button';
import { Field, TextArea } from './field';
import type { Issue } from './issues';
import { Untrusted } from './untrusted';

/** The object that a text is; what is wrong with the text where it is none. */
export function parseObject(text: string): { value: Record<string, unknown> } | { wrong: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as Record<string, unknown> }
      : { wrong: 'must be an object: { … }' };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}

/**
 * An object in JSON. Each rule that it breaks shows below it, and leads to its place.
 *
 * @param issues the rules that it breaks, with paths from the object on.
 */
export function JsonField({
  name,
  hint,
  value,
  rows = 18,
  onChange,
  issues,
}: {
  name: React.ReactNode;
  hint?: React.ReactNode;
  value: string;
  rows?: number;
  onChange: (value: string) => void;
  issues: readonly Issue[];
}) {
  const { t } = useLingui();
  const area = useRef<HTMLTextAreaElement>(null);
  const parsed = parseObject(value);
  const select = (start: number, end: number) => {
    area.current?.focus();
    area.current?.setSelectionRange(start, end);
  };
  const places = 'value' in parsed ? issues.map((issue) => ({ issue, place: placeOf(value, issue.path) })) : [];
  return (
    <div>
      <Field
        name={name}
        hint={hint}
        error={
          'wrong' in parsed ? t`Enter a JSON object: ${parsed.wrong}` : issues.length > 0 && t`It breaks these rules:`
        }
      >
        {(props) => (
          <TextArea {...props} ref={area} rows={rows} value={value} onChange={({ target }) => onChange(target.value)} />
        )}
      </Field>
      {places.length > 0 && (
        <ul className="mt-1 flex flex-col gap-1 text-xs text-bad">
          {places.map(({ issue, place }) => (
            <li key={`${issue.path.join('/')} ${issue.detail}`} className="flex flex-wrap items-baseline gap-x-2">
              <button
                type="button"
                onClick={() => select(place.start, place.end)}
                className="figures inline-flex min-h-6 shrink-0 items-center rounded-sm bg-bad-soft px-1 font-medium underline-offset-2 hover:underline"
              >
                <Trans>line {place.line}</Trans>
              </button>
              {issue.path.length > 0 && (
                <code className="font-mono text-ink">
                  <Untrusted text={issue.path.join('.')} />
                </code>
              )}
              <span className="[overflow-wrap:anywhere]">
                <Untrusted text={issue.detail} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {'value' in parsed && (
        <div className="mt-1.5">
          <Button onClick={() => onChange(JSON.stringify(parsed.value, null, 2))}>
            <Trans>Format</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}
