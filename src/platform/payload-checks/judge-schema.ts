import { measure, objectIn, referredTo, WIDTH_MAX } from '../../domain/schema-rules/schema-width.js';
import { type JsonObject, walkSchemas } from '../../domain/schema-rules/subschemas.js';
import { patternOf } from './pattern.js';

/** A broken rule of a schema. `detail` continues "The schema …", or the path of the place in it. */
interface SchemaProblem {
  path: readonly string[];
  code: string;
  detail: string;
}

/** The instructions of all patterns of one schema: every process keeps the programs. */
const INSTRUCTIONS_MAX = 20_000;
const TOO_MANY_INSTRUCTIONS = `brings the patterns of the schema to more than ${INSTRUCTIONS_MAX.toLocaleString('en')} instructions, with their repetitions written out`;

/** In a schema with its parts: ajv nests the checks of an object's fields, and V8 reads so many levels of its code. */
const FIELDS_MAX = 1_000;
const TOO_MANY_FIELDS = `brings the schema to more than ${FIELDS_MAX.toLocaleString('en')} fields in all`;

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const references = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$anchor', '$id'];
const unsupported: Readonly<Record<string, string>> = {
  ...Object.fromEntries(references.map((keyword) => [keyword, 'refer to definitions by "#/$defs/name"'])),
  $async: 'payloads are checked at once',
  unevaluatedProperties: 'list the fields in "properties" beside "additionalProperties"',
  unevaluatedItems: 'use "prefixItems" and "items"',
  dependentSchemas: 'use "if" and "then"',
  dependencies: 'use "dependentRequired", or "if" and "then"',
};
const namedRules = ['properties', 'patternProperties', 'dependentRequired'];
const fieldRules = [...namedRules, 'prefixItems'];
const scalarTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null'];

/**
 * Finds what JSON Schema allows and a schema of payloads may not have, because a check must be quick and read nothing
 * else (docs/event-types.md).
 *
 * @param schema valid by the meta-schema of 2020-12
 */
export function judgeEventSchema(schema: JsonObject): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const add = (path: readonly string[], code: string, detail: string) => problems.push({ path, code, detail });
  if (schema['$schema'] !== undefined && schema['$schema'] !== DRAFT) {
    add(['$schema'], 'schema_draft', `must be ${DRAFT}, or be left out`);
  }
  if (schema['type'] !== 'object') {
    add(['type'], 'schema_not_object', 'must be "object": every payload is a JSON object');
  }
  const definitions = objectIn(schema, '$defs');
  let instructionsLeft = INSTRUCTIONS_MAX;
  let fieldsLeft = FIELDS_MAX;
  walkSchemas(schema, (one, path) => {
    for (const [keyword, instead] of Object.entries(unsupported)) {
      if (one[keyword] !== undefined) {
        add([...path, keyword], 'schema_keyword', `is not supported: ${instead}`);
      }
    }
    const name = referredTo(one);
    if (one['$ref'] !== undefined && (name === undefined || !Object.hasOwn(definitions, name))) {
      const detail = 'must name a definition of this schema, as "#/$defs/name", with letters, digits, "_", "." and "-"';
      add([...path, '$ref'], 'schema_reference', detail);
    }
    for (const keyword of namedRules.filter((keyword) => Object.hasOwn(objectIn(one, keyword), '__proto__'))) {
      add([...path, keyword, '__proto__'], 'schema_name', 'cannot be checked: give the field another name');
    }
    for (const keyword of fieldRules) {
      const fields = Object.keys(objectIn(one, keyword)).length;
      if (fields > fieldsLeft) {
        add([...path, keyword], 'schema_slow', TOO_MANY_FIELDS);
      }
      fieldsLeft = fields > fieldsLeft ? Number.POSITIVE_INFINITY : fieldsLeft - fields;
    }
    if (Array.isArray(one['enum']) && one['enum'].length === 0) {
      add([...path, 'enum'], 'schema_constant', 'must have at least one value');
    }
    for (const keyword of ['const', 'enum']) {
      const values = keyword === 'const' ? [one[keyword]] : Object.values(objectIn(one, keyword));
      if (values.some((value) => typeof value === 'object' && value !== null)) {
        add([...path, keyword], 'schema_constant', 'must have strings, numbers, booleans and null only');
      }
    }
    if (one['uniqueItems'] === true) {
      const types = [objectIn(one, 'items')['type']].flat();
      if (!types.every((type) => scalarTypes.includes(type))) {
        const detail =
          'needs "items" with a "type" of strings, numbers, booleans or null: others take too long to compare';
        add([...path, 'uniqueItems'], 'schema_slow', detail);
      }
    }
    for (const [steps, source] of patternsIn(one)) {
      if (instructionsLeft < 0) {
        break; // after a bad pattern no others are read
      }
      const pattern = patternOf(source);
      instructionsLeft = typeof pattern === 'string' ? -1 : instructionsLeft - pattern.instructions;
      if (instructionsLeft < 0) {
        add([...path, ...steps], 'schema_pattern', typeof pattern === 'string' ? pattern : TOO_MANY_INSTRUCTIONS);
      }
    }
  });
  return problems.length > 0 ? problems : judgeWidth(schema);
}

/** The patterns in a schema itself, each with its path. */
function patternsIn(schema: JsonObject): [path: string[], pattern: string][] {
  const names = Object.keys(objectIn(schema, 'patternProperties'));
  const ofNames = names.map((name): [string[], string] => [['patternProperties', name], name]);
  return schema['pattern'] === undefined ? ofNames : [[['pattern'], String(schema['pattern'])], ...ofNames];
}

function judgeWidth(schema: JsonObject): SchemaProblem[] {
  const { width, circle } = measure(schema);
  if (circle !== null) {
    const detail = 'refers to itself, directly or through others: a schema must not be recursive';
    return [{ path: ['$defs', circle], code: 'schema_recursive', detail }];
  }
  const detail = `has too many rules for one value: their weights (docs/event-types.md) add up to more than ${WIDTH_MAX}, with references written out`;
  return width > WIDTH_MAX ? [{ path: [], code: 'schema_slow', detail }] : [];
}
