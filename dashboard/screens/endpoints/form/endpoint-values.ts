import { type Field, type Fields, type Group, optionName, type ValuesOf } from '../../../../src/domain/fields/field';
import { webhookFields } from '../../../../src/domain/fields/webhook-fields';
import { urlProblem } from './url-check';

type Table = typeof webhookFields;
export type FieldValue = string | readonly string[] | Readonly<Record<string, string>> | null;
export type GroupValues = Readonly<Record<string, FieldValue>>;

/** What a form of an endpoint holds: the values that it sets itself. Secrets are null until one is typed. */
export type EndpointValues = {
  [Name in keyof Table]: Name extends keyof ValuesOf<Table> ? ValuesOf<Table>[Name] : GroupValues;
};
export type FieldName = keyof EndpointValues;

export const fieldNames = Object.keys(webhookFields) as FieldName[];
export const fieldNamed = (name: FieldName): Field | Group => webhookFields[name];

/** The values of an endpoint alone, for a form. */
export const valuesOf = (endpoint: Readonly<Record<FieldName, unknown>>): EndpointValues =>
  valuesIn(webhookFields, endpoint) as EndpointValues;

type Values = Readonly<Record<string, unknown>>;

function valuesIn(fields: Fields, values: Values): Values {
  const own = values['own'] as readonly string[] | undefined;
  const valueIn = (name: string, field: Field | Group) => {
    const value = values[name];
    if (field.kind === 'group') {
      return valuesIn(field.fields as Fields, (value ?? {}) as Values);
    }
    const hidden = field.secret || (field.inherited !== undefined && own?.includes(optionName(name)) === false);
    return hidden ? null : typeof value === 'string' ? value.trim() : (value ?? field.default ?? null);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueIn(name, field)]));
}

export const NO_VALUES = valuesIn(webhookFields, { url: '', eventTypes: [] }) as EndpointValues;

/** The values of a form, for an input of the API. */
export const inputOf = (values: EndpointValues) =>
  Object.fromEntries(
    fieldNames.map((name) => {
      const field = fieldNamed(name);
      return [name, field.kind === 'group' ? groupInput(field, values[name] as unknown as GroupValues) : values[name]];
    }),
  ) as EndpointValues;

/** An empty secret stays as it is; an empty inherited field goes back to the inherited value. */
function groupInput({ fields }: Group, values: GroupValues) {
  const named = Object.entries(fields).map(([name, field]) => ({ name, field, empty: (values[name] ?? '') === '' }));
  const kept = named.filter(({ field, empty }) => !empty || (!field.secret && field.inherited === undefined));
  const reset = named.filter(({ field, empty }) => empty && field.inherited !== undefined);
  return {
    ...Object.fromEntries(kept.map(({ name }) => [name, values[name]])),
    ...(reset.length === 0 ? {} : { reset: reset.map(({ name }) => optionName(name)) }),
  };
}

/** A value as one line. */
export const textOf = (value: FieldValue): string =>
  typeof value === 'string' ? value : (Array.isArray(value) ? value : pairsOf(value)).toSorted().join(', ');

/** A map as `key: text`. */
export const pairsOf = (map: FieldValue): string[] => Object.entries(map ?? {}).map(([key, text]) => `${key}: ${text}`);

type LabelName = keyof ValuesOf<Table>;

/** The values of all fields as lines, by the names of their labels. */
export const textsOf = (endpoint: Readonly<Record<FieldName, unknown>>): [name: LabelName, text: string][] =>
  fieldNames.flatMap((name): [LabelName, string][] => {
    const value = valuesOf(endpoint)[name];
    return fieldNamed(name).kind !== 'group'
      ? [[name as LabelName, textOf(value as FieldValue)]]
      : Object.entries(value as unknown as GroupValues).map(([inner, one]) => [inner as LabelName, textOf(one)]);
  });

/** Whether the values may be sent: the service judges the rest. */
export const isReady = (values: EndpointValues): boolean =>
  values.eventTypes.length > 0 && urlProblem(values.url) !== 'typing';
