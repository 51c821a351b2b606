import type { Field, ValuesOf } from '../../../../src/domain/fields/field';
import { webhookFields } from '../../../../src/domain/fields/webhook-fields';
import { urlProblem } from './url-check';

/** What a form of an endpoint holds. */
export type EndpointValues = ValuesOf<typeof webhookFields>;
export type FieldName = keyof EndpointValues;
export type FieldValue = string | readonly string[] | null;

export const fieldNames = Object.keys(webhookFields) as FieldName[];
export const fieldNamed = (name: FieldName): Field => webhookFields[name];

/** The values of an endpoint alone, for a form or an input of the API. */
export const valuesOf = (endpoint: Readonly<Record<FieldName, unknown>>): EndpointValues =>
  Object.fromEntries(
    fieldNames.map((name) => [name, typeof endpoint[name] === 'string' ? endpoint[name].trim() : endpoint[name]]),
  ) as EndpointValues;

export const NO_VALUES = Object.fromEntries(
  fieldNames.map((name) => [name, fieldNamed(name).optional ? null : fieldNamed(name).kind === 'eventTypes' ? [] : '']),
) as unknown as EndpointValues;

/** A value as one line. */
export const textOf = (value: FieldValue): string =>
  typeof value === 'string' ? value : (value ?? []).toSorted().join(', ');

/** Whether the values may be sent: the service judges the rest. */
export const isReady = (values: EndpointValues): boolean =>
  values.eventTypes.length > 0 && urlProblem(values.url) !== 'typing';
