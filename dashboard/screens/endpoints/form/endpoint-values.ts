import type { Field, Fields, ValuesOf } from '../../../../src/domain/fields/field';
import { membersOf } from '../../../../src/domain/fields/field-table';
import { webhookFields } from '../../../../src/domain/fields/webhook-fields';
import { urlProblem } from './url-check';

type Table = typeof webhookFields;
type Values = ValuesOf<Table>;
/** Groups have forms of their own: see ../settings. */
export type FieldName = { [Name in keyof Table]: Table[Name] extends { kind: 'group' } ? never : Name }[keyof Table];
/** The API shows no secrets. */
type Shown = { [Name in FieldName as Table[Name] extends { secret: true } ? never : Name]: unknown };
export type FieldValue = string | readonly string[] | Readonly<Record<string, string>> | null;

/** What the form of an endpoint holds. */
export type EndpointValues = { [Name in FieldName]: Values[Name] };

export const fieldNames = Object.entries(webhookFields as Fields)
  .filter(([, field]) => membersOf(field) === null)
  .map(([name]) => name as FieldName);
export const fieldNamed = (name: FieldName): Field => webhookFields[name];

/** The values of an endpoint alone, for a form. */
export const valuesOf = (endpoint: Readonly<Shown>): EndpointValues =>
  Object.fromEntries(
    fieldNames.map((name) => {
      const value = (endpoint as Partial<Record<FieldName, unknown>>)[name];
      return [name, typeof value === 'string' ? value.trim() : (value ?? fieldNamed(name).default ?? null)];
    }),
  ) as EndpointValues;

export const NO_VALUES = valuesOf({ url: '', eventTypes: [] } as never);

/** A value as one line. */
const textOf = (value: FieldValue): string =>
  typeof value === 'string' ? value : (Array.isArray(value) ? value : pairsOf(value)).toSorted().join(', ');

/** A map as `key: text`. */
export const pairsOf = (map: FieldValue): string[] => Object.entries(map ?? {}).map(([key, text]) => `${key}: ${text}`);

/** The values of all fields as lines, but for secrets. */
export const textsOf = (endpoint: Readonly<Shown>): [name: FieldName, text: string][] =>
  Object.entries(valuesOf(endpoint))
    .map(([name, value]): [FieldName, string] => [name as FieldName, textOf(value)])
    .filter(([name]) => !fieldNamed(name).secret);

/** Whether the values may be sent: the service judges the rest. */
export const isReady = (values: EndpointValues): boolean =>
  values.eventTypes.length > 0 && urlProblem(values.url) !== 'typing';
