import { useLingui } from '@lingui/react/macro';
import { type CombinedError, useQuery } from 'urql';
import { Field, TextArea, TextInput } from '../../../parts/field';
import { issueAt } from '../../../parts/issues';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { EVENT_TYPES } from '../documents';
import { type EndpointValues, type FieldName, type FieldValue, fieldNamed, fieldNames } from './endpoint-values';
import { EventTypePicker } from './event-type-picker';
import { UrlField } from './url-field';

interface Control<Value> {
  name: FieldName;
  value: Value;
  onChange: (value: FieldValue) => void;
  /** The service's message about the value that was sent last. */
  refusal: string | undefined;
}

/** A control for each field of an endpoint, by its kind. */
export function EndpointFields({
  values,
  onChange,
  error,
  autoFocus,
}: {
  values: EndpointValues;
  onChange: (values: EndpointValues) => void;
  error: CombinedError | undefined;
  autoFocus?: boolean;
}) {
  return fieldNames.map((name) => (
    <Chosen
      key={name}
      name={name}
      value={values[name]}
      onChange={(value) => onChange({ ...values, [name]: value })}
      refusal={issueAt(error, 'input', name)}
      autoFocus={autoFocus === true && name === fieldNames[0]}
    />
  ));
}

function Chosen({ value, autoFocus, ...shared }: Control<FieldValue> & { autoFocus: boolean }) {
  switch (fieldNamed(shared.name).kind) {
    case 'url':
      return <UrlField {...shared} value={value as string} autoFocus={autoFocus} />;
    case 'eventTypes':
      return <EventTypesField {...shared} value={value as readonly string[]} />;
    case 'text':
      return <TextField {...shared} value={value as string | null} />;
  }
}

function EventTypesField({ name, value, onChange, refusal }: Control<readonly string[]>) {
  const { i18n } = useLingui();
  const [{ data, error }, readAgain] = useQuery({ query: EVENT_TYPES });
  return (
    <div>
      <h2 className="mt-3 mb-1 text-sm font-medium">{i18n._(ENDPOINT_FIELDS[name].name)}</h2>
      {error && <Failure error={error} retry={readAgain} />}
      {data?.eventTypes && <EventTypePicker types={data.eventTypes} value={value} onChange={onChange} />}
      <p className="mt-1 min-h-4 text-xs text-soft" aria-live="polite">
        {refusal === undefined ? (
          i18n._(ENDPOINT_FIELDS[name].hint)
        ) : (
          <span className="text-bad">
            <Untrusted text={refusal} />
          </span>
        )}
      </p>
    </div>
  );
}

function TextField({ name, value, onChange, refusal }: Control<string | null>) {
  const { i18n } = useLingui();
  const field = fieldNamed(name);
  const Input = 'lines' in field && field.lines ? TextArea : TextInput;
  return (
    <Field
      name={i18n._(ENDPOINT_FIELDS[name].name)}
      hint={i18n._(ENDPOINT_FIELDS[name].hint)}
      error={refusal !== undefined && <Untrusted text={refusal} />}
    >
      {(props) => (
        <Input
          {...props}
          value={value ?? ''}
          onChange={({ target }: { target: { value: string } }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
