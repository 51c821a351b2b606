import { type JsonObject, mapSchemas, walkSchemas } from './schema-places.js';

/** Keyword of a counted schema. What each character of a text costs, in eighths of a step. */
export const TEXT_READS = 'hookwright:textReads';
/** Keyword of a counted schema: how many steps it takes for each item of a list. */
export const ITEM_READS = 'hookwright:itemReads';
/** Keyword of a counted schema: how many steps it takes for each name of a small object. */
export const NAME_READS = 'hookwright:nameReads';

/**
 * A copy of a schema which says what each schema in it costs, so that whoever checks a payload can count and stop: the
 * cost grows with the payload times the schema, and no limit on either alone keeps it small. A step takes some 10 ns;
 * what takes how many was measured.
 *
 * What a schema takes for any value stands in its `$comment`: ajv tells of that before it does anything else. What
 * grows with the value stands in the keywords above.
 *
 * @param schema one that `judgeEventSchema` finds no fault with
 */
export function countedSchema(schema: JsonObject): JsonObject {
  let names = 0;
  walkSchemas(schema, ({ properties }) => {
    names += sizeOf(properties);
  });
  return mapSchemas(schema, (subschema) => {
    if (Object.keys(subschema).length === 0) {
      return subschema; // it allows everything
    }
    const reads = {
      [TEXT_READS]: countOf(subschema, ['minLength', 'maxLength']),
      [ITEM_READS]: subschema['uniqueItems'] === true ? 10 : 0,
      [NAME_READS]: stepsANameOf(subschema, names),
    };
    const needed = Object.entries(reads).filter(([, steps]) => steps > 0);
    return { ...subschema, ...Object.fromEntries(needed), $comment: String(stepsAValueOf(subschema)) };
  });
}

/** For any value. */
function stepsAValueOf(schema: JsonObject): number {
  const named = ['properties', 'required', 'dependentRequired', 'dependentSchemas', 'dependencies'];
  const lists = ['dependentRequired', 'dependencies'].flatMap((keyword) =>
    Object.values((schema[keyword] as object | undefined) ?? {}),
  );
  const constants = constantsOf(schema);
  const compared = constants.length / 16 + JSON.stringify(constants.filter(isPart)).length / 8;
  const evaluates = ['properties', 'patternProperties'].some((keyword) => Object.hasOwn(schema, keyword));
  return (
    4 +
    // ajv may note which names they have judged, for `unevaluatedProperties` in whatever is around them.
    (evaluates ? 6 : 0) +
    named.reduce((sum, keyword) => sum + sizeOf(schema[keyword]), 0) +
    lists.reduce((sum, list) => sum + sizeOf(Array.isArray(list) ? list : undefined), 0) +
    (schema['$ref'] === undefined ? 0 : 10) +
    (schema['multipleOf'] === undefined ? 0 : 50) +
    Math.ceil(compared)
  );
}

function stepsANameOf(schema: JsonObject, namesInAll: number): number {
  const keywords = ['minProperties', 'maxProperties', 'propertyNames', 'additionalProperties'];
  const each =
    (countOf(schema, keywords) + sizeOf(schema['patternProperties'])) * 2 +
    constantsOf(schema).filter(isPart).length * 2;
  // Each name is compared with all that stand in `properties` of this schema and those that hold with it.
  const unevaluated = schema['unevaluatedProperties'] === undefined ? 0 : 5 + Math.ceil(namesInAll / 4);
  return each + unevaluated;
}

const sizeOf = (value: unknown) => Object.keys(value ?? {}).length;
const isPart = (value: unknown) => typeof value === 'object' && value !== null;
const countOf = (schema: JsonObject, keywords: readonly string[]) =>
  keywords.filter((keyword) => Object.hasOwn(schema, keyword)).length;
const constantsOf = (schema: JsonObject): readonly unknown[] => [
  ...((schema['enum'] as unknown[] | undefined) ?? []),
  ...(Object.hasOwn(schema, 'const') ? [schema['const']] : []),
];
