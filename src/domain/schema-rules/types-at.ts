import { type JsonType, jsonTypeOf } from '../text/json-type.js';
import { objectIn, referredTo } from './schema-width.js';
import type { JsonObject } from './subschemas.js';

/** Types of a value by its schemas; `any`: they leave it open; `none`: payloads have no such field. */
export type TypesAt = ReadonlySet<JsonType> | 'any' | 'none';
/** A part of a schema may also say nothing. */
type Said = TypesAt | 'silent';

/**
 * The types of the values at a path, in payloads of any of these schemas. An array on the path stands for its elements.
 *
 * @param schemas valid ones, without recursion
 * @param names that lead to the value
 * @param end whether an array at the end stands for its elements too
 */
export function typesAt(schemas: readonly JsonObject[], names: readonly string[], end: 'element' | 'array'): TypesAt {
  const each = schemas.map((schema) => new TypeFinder(schema, end).look(schema, names));
  const said = either(each.map((one) => (one === 'silent' ? 'any' : one)));
  return said === 'silent' ? 'any' : said;
}

class TypeFinder {
  constructor(
    private readonly root: JsonObject,
    private readonly end: 'element' | 'array',
  ) {}

  look(schema: unknown, names: readonly string[]): Said {
    if (typeof schema !== 'object' || schema === null) {
      return schema === false ? 'none' : 'silent';
    }
    const { $ref, allOf = [], anyOf, oneOf, then, else: otherwise, ...own } = schema as JsonObject;
    const definition = $ref === undefined ? true : objectIn(this.root, '$defs')[referredTo({ $ref })!];
    const lookAll = (parts: unknown) => (parts as unknown[]).map((part) => this.look(part, names));
    const choices = [anyOf ?? [], oneOf ?? [], [then, otherwise]].map((choice) => either(lookAll(choice)));
    const itself = names.length === 0 ? this.#typesOf(own) : this.#lookWithin(own, names);
    return together([itself, ...lookAll([definition, ...(allOf as unknown[])]), ...choices]);
  }

  #typesOf(schema: JsonObject): Said {
    const { type, enum: values, items, prefixItems = [] } = schema;
    const constants = Object.hasOwn(schema, 'const') ? [schema['const']] : (values as unknown[] | undefined);
    const types = type === undefined ? constants?.map(jsonTypeOf) : [type].flat().map(typeNamed);
    if (types === undefined) {
      return 'silent';
    }
    if (this.end === 'array' || !types.includes('array')) {
      return new Set(types);
    }
    const elements = either([items, ...(prefixItems as unknown[])].map((one) => this.look(one, [])));
    return either([new Set(types.filter((one) => one !== 'array')), elements]);
  }

  #lookWithin(schema: JsonObject, [name, ...rest]: readonly string[]): Said {
    const { type, properties, patternProperties, additionalProperties, items, prefixItems = [] } = schema;
    const inItems = [items, ...(prefixItems as unknown[])].filter((one) => one !== undefined);
    const within = (member: unknown) => {
      const said = this.look(member, rest);
      return said === 'silent' ? 'any' : said;
    };
    if (Object.hasOwn(objectIn(schema, 'properties'), name!)) {
      return within(objectIn(schema, 'properties')[name!]);
    }
    if (inItems.length > 0) {
      return either(inItems.map((one) => this.look(one, [name!, ...rest])));
    }
    if (typeof additionalProperties === 'object' || patternProperties !== undefined) {
      return patternProperties === undefined ? within(additionalProperties) : 'any';
    }
    const types = [type ?? 'object'].flat();
    const isScalar = !types.includes('object') && !types.includes('array');
    return isScalar || properties !== undefined || additionalProperties === false ? 'none' : 'silent';
  }
}

const typeNamed = (name: unknown): JsonType => (name === 'integer' ? 'number' : (name as JsonType));

type Types = ReadonlySet<JsonType>;
const isTypes = (said: Said): said is Types => typeof said !== 'string';

/** Parts of a schema that judge the same value. One that has the field counts more than one that does not name it. */
function together(parts: readonly Said[]): Said {
  const sets = parts.filter(isTypes);
  const [first, ...others] = sets;
  return first === undefined
    ? ((['any', 'none'] as const).find((said) => parts.includes(said)) ?? 'silent')
    : new Set([...first].filter((type) => others.every((other) => other.has(type))));
}

/** Schemas of which a value meets one. */
function either(parts: readonly Said[]): Said {
  const having = parts.filter((said) => said !== 'none');
  const sets = having.filter(isTypes);
  if (sets.length === 0) {
    return together(parts);
  }
  return sets.length < having.length ? 'any' : new Set(sets.flatMap((types) => [...types]));
}
