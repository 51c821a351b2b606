import type { JsonObject } from './subschemas.js';

/**
 * The fields of a flat schema: all of them are required strings without further rules, and no other field is allowed.
 * The database can check such a payload too (migrations/functions/judge-emits.sql).
 *
 * @returns null for every other schema
 */
export function textFieldsOf(schema: JsonObject): string[] | null {
  const annotations = ['$schema', 'title', 'description', '$comment', 'examples', 'default'];
  const { type, properties = {}, required = [], additionalProperties, ...others } = schema;
  const fields = Object.entries(properties as object);
  const isSaid = (value: JsonObject, more: string[]) =>
    Object.keys(value).every((keyword) => annotations.includes(keyword) || more.includes(keyword));
  const areTexts = fields.every(
    ([, field]) => typeof field === 'object' && field.type === 'string' && isSaid(field, ['type']),
  );
  const names = fields.map(([name]) => name);
  const sameNames =
    names.length === (required as string[]).length && names.every((name) => (required as string[]).includes(name));
  const areSimple = names.every((name) => /^[A-Za-z0-9_]+$/.test(name));
  const isFlat = type === 'object' && additionalProperties === false && isSaid(others, []);
  return isFlat && areTexts && sameNames && areSimple ? names : null;
}
