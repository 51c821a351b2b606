import { Trans, useLingui } from '@lingui/react/macro';
import type { OrderingInput } from '../../../api/generated/graphql';
import { type ChoiceOption, Choices } from '../../../parts/choices';
import { TextField } from '../../../parts/field';
import type { Issue } from '../../../parts/issues';
import { OtherIssues } from '../../../parts/other-issues';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { usePaths } from '../content/use-paths';
import { ORDER_BY, ORDER_KEEP, ORDER_ON_FAILURE, type Ordering } from './words';

const KEY_PATHS = 'key-paths';

/** What the answers mean for an input of the API. */
export const orderingInput = ({ by, keyPath, keep, onFailure }: Ordering): OrderingInput =>
  by === 'NONE' ? { by } : { by, keyPath: by === 'KEY' ? keyPath || null : null, keep, onFailure };

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
          <Choices
            question={<Trans>What happens after one fails for good?</Trans>}
            name="onFailure"
            value={onFailure}
            options={options(ORDER_ON_FAILURE)}
            onChange={(chosen) => onChange({ ...value, onFailure: chosen })}
          />
        </>
      )}
      <OtherIssues issues={issues.filter(({ path }) => path[0] !== 'keyPath')} />
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
