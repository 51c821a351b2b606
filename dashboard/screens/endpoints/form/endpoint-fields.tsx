import { Trans, useLingui } from '@lingui/react/macro';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { Field as OneField } from '../../../../src/domain/fields/field';
import { TextField } from '../../../parts/field';
import type { FieldProps } from '../../../parts/form';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { EVENT_TYPES } from '../documents';
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
  autoFocus = false,
  belowUrl,
}: {
  form: FormFields;
  autoFocus?: boolean;
  /** A control that follows from the URL. */
  belowUrl?: ReactNode;
}) {
  const isWritable = useWritable();
  return (
    <div className="flex flex-col gap-3">
      {fieldNames
        .filter((name) => isWritable(fieldNamed(name).part))
        .map((name) => (
          <Fragment key={name}>
            <FieldControl
              name={name}
              field={fieldNamed(name)}
              // A field's kind decides its type.
              control={form.field(name) as FieldProps<FieldValue>}
              autoFocus={autoFocus && name === fieldNames[0]}
            />
            {name === 'url' && belowUrl}
          </Fragment>
        ))}
    </div>
  );
}

interface ControlProps {
  name: LabelName;
  field: OneField;
  control: FieldProps<FieldValue>;
  autoFocus?: boolean;
}

function FieldControl({ name, field, control, autoFocus = false }: ControlProps) {
  const { i18n } = useLingui();
  const label = <FieldLabel name={name} optional={field.optional} />;
  switch (field.kind) {
    case 'url':
      return <UrlField {...(control as FieldProps<string>)} autoFocus={autoFocus} />;
    case 'eventTypes':
      return <EventTypesField name={name} {...(control as FieldProps<readonly string[]>)} />;
    case 'text':
      return (
        <TextField
          {...control}
          {...(field.secret ? { type: 'password', autoComplete: 'new-password' } : {})}
          value={(control.value as string | null) ?? ''}
          name={label}
          hint={i18n._(ENDPOINT_FIELDS[name].hint)}
          lines={field.lines}
        />
      );
    case 'textMap':
      return <TextMapField name={name} label={label} {...(control as FieldProps<TextMap | null>)} />;
    case 'number':
    case 'delays':
    case 'choice':
    case 'headers':
    case 'auth':
    case 'filter':
    case 'message':
    case 'template':
    case 'shape':
    case 'path':
      throw new Error(`${name} has a form of its own.`);
  }
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
