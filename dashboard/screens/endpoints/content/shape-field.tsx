import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { Code } from '../../../parts/code';
import { Field, TextArea } from '../../../parts/field';
import type { Issue } from '../../../parts/issues';
import { type PlacedIssue, PlacedIssues } from '../../../parts/placed-issues';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { EVENT_SCHEMA } from './documents';
import { completionsAt, typesIn } from './shape-completion';

const NAMES_SHOWN_MAX = 40;

/** The part of the payload that is sent: a GraphQL query, with the names that fit where the caret is. */
export function ShapeField({
  value,
  onChange,
  issues,
  eventTypes,
  release,
}: {
  value: string;
  onChange: (value: string) => void;
  issues: readonly Issue[];
  eventTypes: readonly string[];
  /** The shape is for payloads of its versions. Empty: of the newest ones. */
  release: string;
}) {
  const { t, i18n } = useLingui();
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(value.length);
  const [{ data }] = useQuery({ query: EVENT_SCHEMA, variables: { types: [...eventTypes], release: release || null } });
  const schema = data?.eventSchema ?? '';
  const types = useMemo(() => typesIn(schema), [schema]);
  const { start, names } = completionsAt(types, value, caret);
  const insert = (name: string) => {
    onChange(value.slice(0, start) + name + value.slice(caret));
    const end = start + name.length;
    setCaret(end);
    area.current?.focus();
    // React puts the caret at the end of a text that it changes.
    requestAnimationFrame(() => area.current?.setSelectionRange(end, end));
  };
  return (
    <section className="flex flex-col gap-1">
      <Field
        name={i18n._(ENDPOINT_FIELDS.shape.name)}
        hint={i18n._(ENDPOINT_FIELDS.shape.hint)}
        error={issues.length > 0 && <Trans>It breaks these rules:</Trans>}
      >
        {(props) => (
          <TextArea
            {...props}
            ref={area}
            rows={value === '' ? 3 : 10}
            placeholder={EXAMPLE}
            value={value}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
            onChange={({ target }) => {
              onChange(target.value);
              setCaret(target.selectionStart);
            }}
          />
        )}
      </Field>
      <PlacedIssues area={area} issues={issues.map((issue) => placed(issue, value))} />
      {value !== '' && names.length > 0 && (
        <fieldset aria-label={t`Names that fit here`} className="flex max-h-32 flex-wrap gap-1 overflow-auto">
          {names.slice(0, NAMES_SHOWN_MAX).map((name) => (
            <button
              key={name}
              type="button"
              onClick={() => insert(name)}
              className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs hover:underline"
            >
              {name}
            </button>
          ))}
        </fieldset>
      )}
      {schema !== '' && (
        <details className="text-sm">
          <summary className="cursor-pointer text-soft">
            <Trans>Schema of the subscribed types</Trans>
          </summary>
          <div className="mt-2">
            <Code text={schema} name={t`the schema`} />
          </div>
        </details>
      )}
    </section>
  );
}

const EXAMPLE = 'subscription { event { id ... on BookingCreated { booking_code } } }';

/** A broken rule with the line that its message names. */
function placed({ detail }: Issue, text: string): PlacedIssue {
  const [, line] = /\bline (\d+)/.exec(detail) ?? [];
  const lines = text.split('\n').slice(0, Number(line));
  const end = lines.join('\n').length;
  return line === undefined
    ? { detail }
    : { detail, place: { line: Number(line), start: end - (lines.at(-1)?.length ?? 0), end } };
}
