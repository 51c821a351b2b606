import { Trans, useLingui } from '@lingui/react/macro';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { AnyField, Kind, OfKind } from '../../../../src/domain/fields/field';
import { TextField } from '../../../parts/field';
import type { FieldProps } from '../../../parts/form';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { EVENT_TYPES } from '../first-documents';
import { type FieldName, type FieldValue, fieldNamed, fieldNames } from './endpoint-values';
import { EventTypePicker } from './event-type-picker';
import { offeredTypes } from './event-type-tree';
import { type TextMap, TextMapField } from './text-map-field';
import { UrlField } from './url-field';

type LabelName = keyof typeof ENDPOINT_FIELDS;

interface FormFields {
  field: (name: FieldName) => Omit<FieldProps<unknown>, 'onChange'> & { onChange: (value: never) => void };
}

/** A control for each field of an endpoint, by its kind. */
export function EndpointFields({
  form,
  isWritten,
  autoFocus = false,
  belowUrl,
}: {
  form: FormFields;
  /** The others are not shown. */
  isWritten: (name: FieldName) => boolean;
  autoFocus?: boolean;
  /** A control that follows from the URL. */
  belowUrl?: ReactNode;
}) {
  return (
    <div className="flex flex-col gap-3">
      {fieldNames.filter(isWritten).map((name, at) => (
        <Fragment key={name}>
          <FieldControl
            name={name}
            field={fieldNamed(name)}
            // A field's kind decides its type.
            control={form.field(name) as FieldProps<FieldValue>}
            autoFocus={autoFocus && at === 0}
          />
          {name === 'url' && belowUrl}
        </Fragment>
      ))}
    </div>
  );
}

interface ControlProps<One = AnyField> {
  name: LabelName;
  field: One;
  control: FieldProps<FieldValue>;
  autoFocus?: boolean;
}

/** A control for each kind; null: the settings of an endpoint have a form for it. */
const controls: { [One in Kind]: ((props: ControlProps<OfKind<One>>) => ReactNode) | null } = {
  text: TextControl,
  url: ({ control, autoFocus = false }) => <UrlField {...(control as FieldProps<string>)} autoFocus={autoFocus} />,
  eventTypes: ({ name, control }) => <EventTypesField name={name} {...(control as FieldProps<readonly string[]>)} />,
  textMap: ({ name, field: { optional }, control }) => (
    <TextMapField
      name={name}
      label={<FieldLabel name={name} optional={optional} />}
      {...(control as FieldProps<TextMap | null>)}
    />
  ),
  number: null,
  delays: null,
  choice: null,
  boolean: null,
  headers: null,
  auth: null,
  tls: null,
  filter: null,
  message: null,
  template: null,
  shape: null,
  path: null,
  group: null,
};

function FieldControl(props: ControlProps) {
  const Control = controls[props.field.kind] as ((props: ControlProps) => ReactNode) | null;
  if (Control === null) {
    throw new Error(`${props.name} has a form of its own.`);
  }
  return <Control {...props} />;
}

function TextControl({ name, field: { secret, lines, optional }, control, autoFocus }: ControlProps<OfKind<'text'>>) {
  const { i18n } = useLingui();
  return (
    <TextField
      {...control}
      autoFocus={autoFocus}
      {...(secret ? { type: 'password', autoComplete: 'new-password' } : {})}
      value={(control.value as string | null) ?? ''}
      name={<FieldLabel name={name} optional={optional} />}
      hint={i18n._(ENDPOINT_FIELDS[name].hint)}
      lines={lines}
    />
  );
}

/** The name of a field. Most fields are needed, so the optional ones say so. */
function FieldLabel({ name, optional = false }: { name: LabelName; optional?: boolean | undefined }) {
  const { i18n } = useLingui();
  return (
    <>
      {i18n._(ENDPOINT_FIELDS[name].name)}
      {optional && (
        <span className="font-normal text-faint">
          {' '}
          <Trans>optional</Trans>
        </span>
      )}
    </>
  );
}

function EventTypesField({ name, value, onChange, refusal }: { name: LabelName } & FieldProps<readonly string[]>) {
  const { i18n } = useLingui();
  const [{ data, error }, readAgain] = useQuery({ query: EVENT_TYPES });
  const [before] = useState(value);
  const offered = useMemo(() => offeredTypes(data?.eventTypes ?? [], before), [data, before]);
  return (
    <div>
      <h2 className="mb-1 text-sm font-medium">{i18n._(ENDPOINT_FIELDS[name].name)}</h2>
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
