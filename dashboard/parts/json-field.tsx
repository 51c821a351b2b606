import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { placeOf } from '../text/json-places';
import { Button } from './button';
import { Field, TextArea } from './field';
import type { Issue } from './issues';
import { PlacedIssues } from './placed-issues';

type Parsed<Value> = { value: Value } | { wrong: string };

/** The value that a text is; what is wrong with the text where it is none. */
export function parseJson(text: string): Parsed<unknown> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}

/** The same for an object. */
export function parseObject(text: string): Parsed<Record<string, unknown>> {
  const parsed = parseJson(text);
  const isObject = 'value' in parsed && typeof parsed.value === 'object' && parsed.value !== null;
  return 'wrong' in parsed || (isObject && !Array.isArray(parsed.value))
    ? (parsed as Parsed<Record<string, unknown>>)
    : { wrong: 'must be an object: { … }' };
}

/**
 * A value in JSON. Each rule that it breaks shows below it, and leads to its place.
 *
 * @param parse default: it must be an object.
 * @param issues the rules that it breaks, with paths from the value on.
 */
export function JsonField({
  name,
  hint,
  value,
  rows = 18,
  parse = parseObject,
  onChange,
  issues,
}: {
  name: React.ReactNode;
  hint?: React.ReactNode;
  value: string;
  rows?: number;
  parse?: (text: string) => Parsed<unknown>;
  onChange: (value: string) => void;
  issues: readonly Issue[];
}) {
  const { t } = useLingui();
  const area = useRef<HTMLTextAreaElement>(null);
  const parsed = parse(value);
  const placed =
    'value' in parsed
      ? issues.map(({ detail, path }) => ({ detail, name: path.join('.'), place: placeOf(value, path) }))
      : [];
  return (
    <div>
      <Field
        name={name}
        hint={hint}
        error={
          'wrong' in parsed ? t`Enter valid JSON: ${parsed.wrong}` : issues.length > 0 && t`It breaks these rules:`
        }
      >
        {(props) => (
          <TextArea {...props} ref={area} rows={rows} value={value} onChange={({ target }) => onChange(target.value)} />
        )}
      </Field>
      <PlacedIssues area={area} issues={placed} />
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
