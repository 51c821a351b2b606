import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { Group, Field as OneField } from '../../../../src/domain/fields/field';
import { TextField } from '../../../parts/field';
import type { FieldProps } from '../../../parts/form';
import type { Issue } from '../../../parts/issues';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { EVENT_TYPES } from '../documents';
import {
  type EndpointValues,
  type FieldName,
  type FieldValue,
  fieldNamed,
  fieldNames,
  type GroupValues,
} from './endpoint-values';
import { EventTypePicker } from './event-type-picker';
import { offeredTypes } from './event-type-tree';
import { type TextMap, TextMapField } from './text-map-field';
import { UrlField } from './url-field';

type LabelName = keyof typeof ENDPOINT_FIELDS;
type AnyValue = FieldValue | GroupValues;

interface FormFields {
  field: <Name extends FieldName>(name: Name) => FieldProps<EndpointValues[Name]>;
  issues: (name: FieldName) => readonly Issue[];
}

/** A control for each field of an endpoint, by its kind. */
export function EndpointFields({ form, autoFocus = false }: { form: FormFields; autoFocus?: boolean }) {
  return (
    <div className="flex flex-col gap-3">
      {fieldNames.map((name) => (
        <FieldControl
          key={name}
          name={name}
          field={fieldNamed(name)}
          // A field's kind decides its type.
          control={form.field(name) as FieldProps<AnyValue>}
          issues={form.issues(name)}
          autoFocus={autoFocus && name === fieldNames[0]}
        />
      ))}
    </div>
  );
}

interface ControlProps {
  name: LabelName;
  field: OneField | Group;
  control: FieldProps<AnyValue>;
  /** The broken rules of a group, with paths from the group on. */
  issues?: readonly Issue[];
  autoFocus?: boolean;
}

function FieldControl({ name, field, control, issues = [], autoFocus = false }: ControlProps) {
  const { i18n } = useLingui();
  const label = <FieldLabel name={name} optional={field.kind !== 'group' && field.optional} />;
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
    case 'group':
      return <GroupFields name={name} group={field} issues={issues} {...(control as FieldProps<GroupValues>)} />;
  }
}

/** The name of a field. Of a few fields most are needed: the others say so. */
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

/** The fields of a group under its name. */
function GroupFields({
  name,
  group,
  issues,
  value,
  onChange,
}: { name: LabelName; group: Group; issues: readonly Issue[] } & FieldProps<GroupValues>) {
  const { i18n } = useLingui();
  const refusal = issues.find(({ path: [inner] }) => inner === undefined || !(inner in group.fields))?.detail;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{i18n._(ENDPOINT_FIELDS[name].name)}</legend>
      {Object.entries(group.fields).map(([inner, field]) => (
        <FieldControl
          key={inner}
          name={inner as LabelName}
          field={field as OneField}
          control={{
            value: value[inner] ?? null,
            onChange: (one) => onChange({ ...value, [inner]: one as FieldValue }),
            refusal: issues.find(({ path }) => path[0] === inner)?.detail,
          }}
        />
      ))}
      <p className="min-h-4 text-xs text-bad" aria-live="polite">
        {refusal !== undefined && <Untrusted text={refusal} />}
      </p>
    </fieldset>
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
