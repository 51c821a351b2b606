import { Trans, useLingui } from '@lingui/react/macro';
import type { OrderingInput } from '../../../api/generated/graphql';
import { type ChoiceOption, Choices } from '../../../parts/choices';
import { TextField } from '../../../parts/field';
import type { Issue } from '../../../parts/issues';
import { OtherIssues } from '../../../parts/other-issues';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { usePaths } from '../content/use-paths';
import { longestWait, ORDER_BY, ORDER_KEEP, ORDER_ON_FAILURE, type Ordering } from './words';

const KEY_PATHS = 'key-paths';

/** What the answers mean for an input of the API. */
export const orderingInput = ({ by, keyPath, onFailure, ...latest }: Ordering): OrderingInput =>
  by === 'NONE'
    ? { by, settleSeconds: null, settleMaxSeconds: null }
    : { by, keyPath: by === 'KEY' ? keyPath || null : null, onFailure, ...latestInput(latest) };

/** Only where the newest alone is sent may it wait for newer ones. */
const latestInput = ({ keep, settleSeconds, settleMaxSeconds }: Omit<Ordering, 'by' | 'keyPath' | 'onFailure'>) => {
  const settles = keep === 'LATEST' && settleSeconds !== null;
  return {
    keep,
    settleSeconds: settles ? settleSeconds : null,
    settleMaxSeconds: settles ? settleMaxSeconds : null,
  };
};

/** The questions about which deliveries wait for each other. */
export function OrderFields({
  value,
  onChange,
  issues,
  eventTypes,
}: {
  value: Ordering;
  onChange: (value: Ordering) => void;
  issues: readonly Issue[];
  eventTypes: readonly string[];
}) {
  const options = useOptions();
  const { by, keep, onFailure } = value;
  return (
    <div className="flex flex-col gap-4">
      <Choices
        question={<Trans>Which deliveries wait for each other?</Trans>}
        name="by"
        value={by}
        options={options(ORDER_BY)}
        onChange={(chosen) => onChange({ ...value, by: chosen })}
      />
      {by === 'KEY' && <KeyPath value={value} onChange={onChange} issues={issues} eventTypes={eventTypes} />}
      {by !== 'NONE' && (
        <>
          <Choices
            question={<Trans>Which of the waiting ones are sent?</Trans>}
            name="keep"
            value={keep}
            options={options(ORDER_KEEP)}
            onChange={(chosen) => onChange({ ...value, keep: chosen })}
          />
          {keep === 'LATEST' && <Settling value={value} onChange={onChange} issues={issues} />}
          <Choices
            question={<Trans>What happens after one fails for good?</Trans>}
            name="onFailure"
            value={onFailure}
            options={options(ORDER_ON_FAILURE)}
            onChange={(chosen) => onChange({ ...value, onFailure: chosen })}
          />
        </>
      )}
      <OtherIssues issues={issues.filter(({ path }) => !OWN_PLACES.includes(String(path[0])))} />
    </div>
  );
}

/** Fields beside which their refusals stand. */
const OWN_PLACES = ['keyPath', 'settleSeconds', 'settleMaxSeconds'];

/** The time that a key must be quiet before its newest delivery is sent. */
function Settling({ value, onChange, issues }: Omit<Parameters<typeof OrderFields>[0], 'eventTypes'>) {
  const { i18n } = useLingui();
  const seconds = (field: 'settleSeconds' | 'settleMaxSeconds', placeholder: string) => (
    <TextField
      name={i18n._(ENDPOINT_FIELDS[field].name)}
      hint={i18n._(ENDPOINT_FIELDS[field].hint)}
      refusal={issues.find(({ path }) => path[0] === field)?.detail}
      type="number"
      step="any"
      placeholder={placeholder}
      value={value[field] === null ? '' : String(value[field])}
      onChange={(typed) => onChange({ ...value, [field]: typed === '' ? null : Number(typed) })}
    />
  );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {seconds('settleSeconds', '')}
      {value.settleSeconds !== null && seconds('settleMaxSeconds', String(longestWait(value)))}
    </div>
  );
}

function KeyPath({ value, onChange, issues, eventTypes }: Parameters<typeof OrderFields>[0]) {
  const { i18n } = useLingui();
  const { known, isUnknown } = usePaths(eventTypes);
  return (
    <>
      <TextField
        name={i18n._(ENDPOINT_FIELDS.keyPath.name)}
        hint={
          isUnknown((value.keyPath ?? '').trim()) ? (
            <span className="text-warn">
              <Trans>No subscribed type has this field in its schema.</Trans>
            </span>
          ) : (
            i18n._(ENDPOINT_FIELDS.keyPath.hint)
          )
        }
        list={KEY_PATHS}
        placeholder="order.id"
        value={value.keyPath ?? ''}
        onChange={(keyPath) => onChange({ ...value, keyPath })}
        refusal={issues.find(({ path }) => path[0] === 'keyPath')?.detail}
      />
      <datalist id={KEY_PATHS}>
        {known.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}

type OptionWords = Record<string, (typeof ORDER_BY)['KEY']>;

function useOptions() {
  const { i18n } = useLingui();
  return <Value extends string>(words: Record<Value, OptionWords[string]>) =>
    Object.entries<OptionWords[string]>(words).map(
      ([value, { name, hint }]): ChoiceOption<Value> => ({
        value: value as Value,
        name: i18n._(name),
        hint: i18n._(hint),
      }),
    );
}
