import type { JsonObject } from '../../schema-rules/subschemas.js';

/** The types of values that have no fields. JSON is any value, also an object. */
export type Scalar = 'String' | 'Boolean' | 'Float' | 'SafeInt' | 'JSON';

const scalars: Readonly<Record<string, Scalar>> = {
  string: 'String',
  boolean: 'Boolean',
  number: 'Float',
  integer: 'SafeInt',
};
const choiceKeywords = ['anyOf', 'oneOf'];
const valueKeywords = ['type', 'const', 'enum'];
const partKeywords = ['properties', 'items', 'prefixItems', '$ref', 'allOf', ...choiceKeywords];

/** The form of a value by all schemas that judge it. JSON where they leave it open. */
export function formOf(parts: readonly JsonObject[]): Scalar | 'object' | 'array' {
  const types = new Set(parts.map(typesOf).find((some) => some.length > 0));
  const openKeywords = types.size === 0 ? [...partKeywords, ...valueKeywords] : partKeywords;
  if (parts.some((part) => choicesOf(part).some((choices) => choices.length > 1 && have(choices, openKeywords)))) {
    return 'JSON';
  }
  if (types.size === 0) {
    return have(parts, ['properties']) ? 'object' : have(parts, ['items', 'prefixItems']) ? 'array' : 'JSON';
  }
  if (types.size === 2 && types.has('integer') && types.has('number')) {
    return 'Float';
  }
  const [type] = types.size === 1 ? types : [];
  return type === 'object' || type === 'array' ? type : (scalars[type ?? ''] ?? 'JSON');
}

/** The schemas of a list's items; none where items have schemas by their places. */
export const itemsOf = (parts: readonly JsonObject[]): unknown[] =>
  have(parts, ['prefixItems']) ? [] : parts.flatMap(({ items }) => (items === undefined ? [] : [items]));

/** The choices that are the only ones besides null: `anyOf: [{…}, {type: null}]` is the usual way to allow null. */
export const onlyChoices = (part: JsonObject): unknown[] =>
  choicesOf(part).flatMap((choices) => (choices.length === 1 ? choices : []));

/** The choices of `anyOf` and of `oneOf`, without null. */
const choicesOf = (part: JsonObject): unknown[][] =>
  choiceKeywords.map((keyword) => ((part[keyword] ?? []) as unknown[]).filter((choice) => !isNull(choice)));

const isNull = (schema: unknown): boolean => {
  const { type, const: value } = (schema ?? {}) as JsonObject;
  return type === 'null' || value === null;
};

const have = (schemas: readonly unknown[], keywords: readonly string[]): boolean =>
  schemas.some(
    (schema) => typeof schema === 'object' && keywords.some((keyword) => Object.hasOwn(schema ?? {}, keyword)),
  );

/** The types that a schema itself names, or that its values have, without null. */
function typesOf(schema: JsonObject): string[] {
  const { type, const: value, enum: values = value === undefined ? [] : [value] } = schema;
  const types = type === undefined ? (values as unknown[]).map(typeOfValue) : ([type].flat() as string[]);
  return types.filter((one) => one !== 'null');
}

const typeOfValue = (value: unknown): string =>
  value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value;
