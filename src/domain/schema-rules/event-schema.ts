import { pointerOf, stepsOf } from './json-pointer.js';
import { PatternAllowance } from './pattern-allowance.js';
import { childrenOf, type JsonObject, targetOf, walkSchemas } from './schema-places.js';

/** A broken rule of a schema: where, a code, and a sentence that goes on after "The schema …" or its place. */
interface SchemaProblem {
  path: readonly string[];
  code: string;
  detail: string;
}

/** Schemas that judge the same payload at once, with those behind `$ref` written out: each costs time at every emit. */
const SUBSCHEMAS_MAX = 2_000;
/** This many names that must be there cost as much as one schema. */
const NAMES_A_SCHEMA = 10;
const ENUM_VALUES_MAX = 5_000;

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const definitions: readonly string[] = ['$defs', 'definitions'];
const rulesByName = ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'];
const scalarTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null'];

/**
 * What is wrong with a schema of payloads that JSON Schema itself allows: whatever reads other documents, or could make
 * the check of a payload take long.
 *
 * @param schema valid by the meta-schema of 2020-12
 */
export function judgeEventSchema(schema: JsonObject): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  if (schema['$schema'] !== undefined && schema['$schema'] !== DRAFT) {
    problems.push({ path: ['$schema'], code: 'schema_draft', detail: `must be ${DRAFT}, or be left out` });
  }
  if (schema['type'] !== 'object') {
    const detail = 'must be "object": every payload is a JSON object';
    problems.push({ path: ['type'], code: 'schema_not_object', detail });
  }
  const known = new Map<string, JsonObject>();
  const patterns = new PatternAllowance();
  let enumValues = 0;
  walkSchemas(schema, (subschema, path) => {
    known.set(pointerOf(path), subschema);
    problems.push(...judgeKeywords(subschema, path, patterns));
    const before = enumValues;
    enumValues += ((subschema['enum'] as unknown[] | undefined) ?? []).length;
    if (before <= ENUM_VALUES_MAX && enumValues > ENUM_VALUES_MAX) {
      const detail = `brings the values of all "enum" to more than ${ENUM_VALUES_MAX.toLocaleString('en')}`;
      problems.push({ path: [...path, 'enum'], code: 'schema_slow', detail });
    }
  });
  return problems.length > 0 ? problems : judgeReferences(known);
}

function judgeKeywords(schema: JsonObject, path: string[], patterns: PatternAllowance): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const add = (steps: string | readonly string[], code: string, detail: string) =>
    problems.push({ path: path.concat(steps), code, detail });
  if (schema['$async'] !== undefined) {
    add('$async', 'schema_keyword', 'is not supported: payloads are checked at once; leave it out');
  }
  for (const keyword of ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$anchor', '$id']) {
    if (schema[keyword] !== undefined) {
      add(keyword, 'schema_keyword', 'is not supported: refer to places in the schema by "#/$defs/…"');
    }
  }
  if (schema['$ref'] !== undefined && !String(schema['$ref']).startsWith('#/')) {
    add('$ref', 'schema_reference', 'must refer to a place in this schema, as "#/$defs/…": nothing is fetched');
  }
  for (const keyword of rulesByName) {
    if (Object.hasOwn((schema[keyword] as object | undefined) ?? {}, '__proto__')) {
      add([keyword, '__proto__'], 'schema_name', 'cannot be checked: give the field another name');
    }
  }
  const names = Object.keys((schema['patternProperties'] as object | undefined) ?? {});
  for (const [steps, pattern] of [
    ...(schema['pattern'] === undefined ? [] : [[['pattern'], String(schema['pattern'])] as const]),
    ...names.map((name) => [['patternProperties', name], name] as const),
  ]) {
    const detail = patterns.whyNot(pattern);
    if (detail !== null) {
      add(steps, 'schema_pattern', detail);
    }
  }
  if (schema['uniqueItems'] === true) {
    const types = [(schema['items'] as JsonObject | undefined)?.['type']].flat();
    if (!types.every((type) => scalarTypes.includes(type))) {
      const detail =
        'needs "items" with a "type" of strings, numbers, booleans or null: others take too long to compare';
      add('uniqueItems', 'schema_slow', detail);
    }
  }
  return problems;
}

/** Only once every place is known: a reference may point forward. */
function judgeReferences(known: ReadonlyMap<string, JsonObject>): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const [pointer, schema] of known) {
    const { $ref } = schema;
    if ($ref !== undefined && !known.has(targetOf(String($ref)))) {
      const path = [...stepsOf(pointer), '$ref'];
      problems.push({ path, code: 'schema_reference', detail: 'leads to no schema in this one' });
    }
  }
  return problems.length > 0 ? problems : judgeSize(known);
}

/** Counts with references written out. One that leads back to itself would be written out for ever. */
function judgeSize(known: ReadonlyMap<string, JsonObject>): SchemaProblem[] {
  const sizes = new Map<string, number>();
  let cycle: string | undefined;
  const sizeOf = (pointer: string): number => {
    const schema = known.get(pointer);
    if (schema === undefined) {
      return 1;
    }
    const counted = sizes.get(pointer);
    if (counted !== undefined) {
      if (counted < 0) {
        cycle ??= pointer;
      }
      return Math.max(counted, 0);
    }
    sizes.set(pointer, -1);
    const parts = childrenOf(schema)
      .filter(([child, [keyword]]) => child !== undefined && !definitions.includes(keyword!))
      .map(([, steps]) => `${pointer}${pointerOf(steps)}`);
    if (schema['$ref'] !== undefined) {
      parts.push(targetOf(String(schema['$ref'])));
    }
    const own = 1 + Math.floor(namesIn(schema) / NAMES_A_SCHEMA);
    const size = parts.reduce((sum, part) => Math.min(sum + sizeOf(part), SUBSCHEMAS_MAX + 1), own);
    sizes.set(pointer, size);
    return size;
  };
  for (const pointer of known.keys()) {
    const size = sizeOf(pointer);
    if (cycle !== undefined) {
      const detail = 'refers to itself, directly or through others: a schema must not be recursive';
      return [{ path: stepsOf(cycle), code: 'schema_recursive', detail }];
    }
    if (size > SUBSCHEMAS_MAX) {
      const detail = `has more than ${SUBSCHEMAS_MAX} schemas in it, with its references written out; ${NAMES_A_SCHEMA} names of "required" and its like count as one`;
      return [{ path: stepsOf(pointer), code: 'schema_slow', detail }];
    }
  }
  return [];
}

/** Of `required`, and of the lists of `dependentRequired`. */
function namesIn(schema: JsonObject): number {
  const { required = [], dependentRequired = {}, dependencies = {} } = schema;
  const lists = [required, ...Object.values(dependentRequired as object), ...Object.values(dependencies as object)];
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

/**
 * The fields of a payload, when the schema says no more than that they all are there, are strings, and nothing else is:
 * then the database can check it too (migrations/functions/judge-emits.ts).
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
