import { useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { TextField } from '../../../parts/field';
import type { FieldProps } from '../../../parts/form';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { EVENT_TYPES } from '../documents';
import { type EndpointValues, type FieldName, type FieldValue, fieldNamed, fieldNames } from './endpoint-values';
import { EventTypePicker } from './event-type-picker';
import { offeredTypes } from './event-type-tree';
import { UrlField } from './url-field';

/** A control for each field of an endpoint, by its kind. */
export function EndpointFields({
  form,
  autoFocus = false,
}: {
  form: { field: <Name extends FieldName>(name: Name) => FieldProps<EndpointValues[Name]> };
  autoFocus?: boolean;
}) {
  return fieldNames.map((name) => (
    <FieldControl
      key={name}
      name={name}
      // A field's kind decides its type.
      control={form.field(name) as FieldProps<FieldValue>}
      autoFocus={autoFocus && name === fieldNames[0]}
    />
  ));
}

function FieldControl(props: { name: FieldName; control: FieldProps<FieldValue>; autoFocus: boolean }) {
  const { i18n } = useLingui();
  const { name, control, autoFocus } = props;
  const field = fieldNamed(name);
  switch (field.kind) {
    case 'url':
      return <UrlField {...(control as FieldProps<string>)} autoFocus={autoFocus} />;
    case 'eventTypes':
      return <EventTypesField name={name} {...(control as FieldProps<readonly string[]>)} />;
    case 'text':
      return (
        <TextField
          {...control}
          value={(control.value as string | null) ?? ''}
          name={i18n._(ENDPOINT_FIELDS[name].name)}
          hint={i18n._(ENDPOINT_FIELDS[name].hint)}
          lines={field.lines}
        />
      );
  }
}

function EventTypesField({ name, value, onChange, refusal }: { name: FieldName } & FieldProps<readonly string[]>) {
  const { i18n } = useLingui();
  const [{ data, error }, readAgain] = useQuery({ query: EVENT_TYPES });
  const [before] = useState(value);
  const offered = useMemo(() => offeredTypes(data?.eventTypes ?? [], before), [data, before]);
  return (
    <div>
      <h2 className="mt-3 mb-1 text-sm font-medium">{i18n._(ENDPOINT_FIELDS[name].name)}</h2>
      {error && <Failure error={error} retry={readAgain} />}
      {data?.eventTypes && <EventTypePicker types={offered} value={value} onChange={onChange} />}
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
