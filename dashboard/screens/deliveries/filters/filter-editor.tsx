import { Trans, useLingui } from '@lingui/react/macro';
import { Check } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { PAYLOAD_PART_CHARS } from '../../../../src/domain/events/payload-search';
import type { FilterChoicesQuery } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { endpointLabel } from '../../../parts/cells';
import { Field, TextInput } from '../../../parts/field';
import { TimeForm } from '../../../parts/time-form';
import { filterOf, yesterday } from '../../../parts/time-span';
import { Untrusted } from '../../../parts/untrusted';
import { RANGES } from '../../../text/moments';
import { ERROR_CODES } from './error-codes';
import { CLASS_NAMES, FILTER_NAMES, hintOf, RANGE_NAMES, STATE_NAMES } from './filter-names';
import { type FilterName, type Filters, STATES, STATUS_CLASSES } from './filters';

interface EditorProps {
  filter: FilterName;
  filters: Filters;
  choices: FilterChoicesQuery | undefined;
  onDone: (change: Filters) => void;
}

/** Sets one filter: by a choice where there are few values, else by a text. */
export function FilterEditor({ filter, filters, choices, onDone }: EditorProps) {
  const { i18n } = useLingui();
  const set = (value: string) => onDone({ [filter]: value });
  const choose = (options: readonly Option[]) => (
    <Options label={i18n._(FILTER_NAMES[filter])} options={options} value={filters[filter]} onChoose={set} />
  );
  switch (filter) {
    case 'status':
      return choose(STATES.map((value) => ({ value, name: i18n._(STATE_NAMES[value]), hint: hintOf(value, i18n) })));
    case 'class':
      return choose(STATUS_CLASSES.map((value) => ({ value, name: i18n._(CLASS_NAMES[value]) })));
    case 'error':
      return choose(ERROR_CODES.map((value) => ({ value, name: value })));
    case 'endpoint':
      return choose(
        (choices?.webhooks?.edges ?? []).map(({ node }) => ({
          value: String(node.databaseId),
          name: endpointLabel(node),
        })),
      );
    case 'type':
      return choose((choices?.eventTypes ?? []).map(({ name }) => ({ value: name, name })));
    case 'range':
    case 'since':
    case 'until':
      return <TimeEditor filters={filters} onDone={onDone} />;
    default:
      return <WordEditor filter={filter} value={filters[filter]} onSet={set} />;
  }
}

function TimeEditor({ filters, onDone }: Pick<EditorProps, 'filters' | 'onDone'>) {
  const { t, i18n } = useLingui();
  return (
    <>
      <Options
        label={t`Time`}
        options={[
          ...Object.keys(RANGES).map((value) => ({ value, name: i18n._(RANGE_NAMES[value] ?? { id: value }) })),
          { value: YESTERDAY, name: t`Yesterday` },
        ]}
        value={filters.range}
        onChoose={(range) =>
          onDone(
            range === YESTERDAY
              ? { range: undefined, ...filterOf(yesterday()) }
              : { range, since: undefined, until: undefined },
          )
        }
      />
      <div className="mt-1 border-t border-line p-2">
        <TimeForm
          since={filters.since}
          until={filters.until}
          action={<Trans>Filter</Trans>}
          onChosen={(times) => onDone({ range: undefined, ...times })}
        />
      </div>
    </>
  );
}

/** The filters that are written. */
function WordEditor({
  filter,
  value,
  onSet,
}: {
  filter: 'text' | 'key' | 'event';
  value: string | undefined;
  onSet: (value: string) => void;
}) {
  const { t } = useLingui();
  switch (filter) {
    case 'text':
      return (
        <TextEditor
          name={t`Text in payload`}
          value={value}
          minLength={PAYLOAD_PART_CHARS.min}
          maxLength={PAYLOAD_PART_CHARS.max}
          hint={
            <Trans>
              3 to 200 characters, exactly as in the payload, with quotes and escapes. Searches the last 7 days, or a
              range of at most 7 days.
            </Trans>
          }
          onSet={onSet}
        />
      );
    case 'key':
      return (
        <TextEditor
          name={t`Idempotency key`}
          value={value}
          minLength={1}
          maxLength={255}
          hint={<Trans>The full key of the event. Keys are kept for 7 days.</Trans>}
          onSet={onSet}
        />
      );
    case 'event':
      return (
        <TextEditor
          name={t`Event`}
          value={value}
          minLength={1}
          maxLength={20}
          pattern="(ev_)?\d+"
          hint={<Trans>The number or id of the event, such as ev_12.</Trans>}
          onSet={onSet}
        />
      );
  }
}

const YESTERDAY = 'yesterday';

interface Option {
  value: string;
  name: string;
  hint?: string | undefined;
}

/** A list with more options than this has a search field. */
const OPTIONS_SEEN = 8;

function Options({
  label,
  options,
  value,
  onChoose,
}: {
  label: string;
  options: readonly Option[];
  value: string | undefined;
  onChoose: (value: string) => void;
}) {
  const { t } = useLingui();
  const [part, setPart] = useState('');
  const found = options.filter(({ name }) => name.toLowerCase().includes(part.trim().toLowerCase()));
  return (
    <>
      {options.length > OPTIONS_SEEN && (
        <div className="p-1 pb-1.5">
          <TextInput
            autoFocus
            aria-label={t`Find: ${label}`}
            placeholder={label}
            value={part}
            onChange={({ target }) => setPart(target.value)}
            onKeyDown={({ key }) => {
              if (key === 'Enter' && found[0] !== undefined) {
                onChoose(found[0].value);
              }
            }}
          />
        </div>
      )}
      <ul aria-label={label} className="max-h-72 overflow-y-auto">
        {found.map((option) => (
          <li key={option.value}>
            <button
              type="button"
              aria-pressed={option.value === value}
              onClick={() => onChoose(option.value)}
              className="flex min-h-7 w-full items-center justify-between gap-3 rounded-md px-2 py-0.5 text-start text-sm hover:bg-sunken"
            >
              <span className="min-w-0">
                <span className="block truncate">
                  <Untrusted text={option.name} />
                </span>
                {option.hint !== undefined && <span className="block text-xs text-soft">{option.hint}</span>}
              </span>
              {option.value === value && <Check aria-hidden className="size-3.5 shrink-0 text-accent" />}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="px-2 py-1.5 text-sm text-soft">
          <Trans>No option matches.</Trans>
        </p>
      )}
    </>
  );
}

function TextEditor({
  name,
  value,
  hint,
  onSet,
  ...rules
}: {
  name: string;
  value: string | undefined;
  hint: ReactNode;
  minLength: number;
  maxLength: number;
  pattern?: string;
  onSet: (value: string) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSet(String(new FormData(event.currentTarget).get('value')));
  };
  return (
    <form onSubmit={submit} className="p-2">
      <Field name={name} hint={hint}>
        {(props) => <TextInput {...props} {...rules} name="value" required autoFocus defaultValue={value ?? ''} />}
      </Field>
      <div className="mt-2 flex justify-end">
        <Button type="submit" look="primary">
          <Trans>Filter</Trans>
        </Button>
      </div>
    </form>
  );
}
