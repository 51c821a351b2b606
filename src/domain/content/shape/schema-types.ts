import { objectIn, referredTo } from '../../schema-rules/schema-width.js';
import type { JsonObject } from '../../schema-rules/subschemas.js';
import { TypeNames } from '../../schema-rules/type-names.js';
import { formOf, itemsOf, onlyChoices, type Scalar } from './value-form.js';

/** The type of a value in a payload. Each value may be null. */
export type ValueType = Scalar | { readonly item: ValueType } | ObjectType;

export interface ObjectType {
  readonly name: string;
  readonly description: string;
  /** By the names that GraphQL has for them. */
  readonly fields: ReadonlyMap<string, TypedField>;
}

interface TypedField {
  /** The name in the payload. */
  readonly property: string;
  readonly type: ValueType;
  readonly description: string;
}

/** An event type with a schema that the registry has accepted. */
interface EventSchema {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** The type of the events of one event type: its fields are those of the payload. */
export interface EventObjectType extends ObjectType {
  readonly eventType: string;
  /** The type of the state before the change, which has the same fields. */
  readonly previous: ObjectType;
}

/** The fields of every event. A field of a payload cannot have their names. */
export const EVENT_FIELDS = ['id', 'type', 'time', 'payload', 'changes'] as const;
/** The field of events with a schema that has the state before the change. */
export const PREVIOUS_FIELD = 'previous' as const;
/** The interface of all events. */
export const EVENT = 'Event';
/** The type of what has changed. */
export const CHANGES = 'Changes';

const scalarNames = ['ID', 'String', 'Boolean', 'Int', 'Float', 'SafeInt', 'DateTime', 'JSON'];
const reservedNames = [EVENT, CHANGES, 'Query', 'Subscription', ...scalarNames];
/** Definitions that are used in many places could be combined into any number of types. */
const OBJECTS_MAX = 1_000;

/** The name of each event type's type. @param eventTypes all that there are, in the order of their names */
export function shapeTypeNames(eventTypes: readonly string[]): ReadonlyMap<string, string> {
  const names = new TypeNames(reservedNames);
  return new Map(eventTypes.map((eventType) => [eventType, names.take(eventType)]));
}

/**
 * The types that shapes are written with.
 *
 * @param typeNames of all event types, so that no other type takes their names
 */
export function eventObjectTypes(
  types: readonly EventSchema[],
  typeNames: ReadonlyMap<string, string>,
): EventObjectType[] {
  const names = new TypeNames([...reservedNames, ...typeNames.values()]);
  return types.map(({ name: eventType, description, schema }) => {
    const name = typeNames.get(eventType)!;
    const fields = new SchemaReader(schema, name, names).payloadFields();
    const before = 'The state before the change that the event reports.';
    const previous = { name: names.take(`${name}.${PREVIOUS_FIELD}`), description: before, fields };
    return { eventType, name, description, fields, previous };
  });
}

/** Reads the schema of one event type. */
class SchemaReader {
  /** By the parts of the schema that give a type its fields. */
  readonly #objects = new Map<string, ObjectType>();
  readonly #numbers = new Map<JsonObject, number>();
  readonly #definitions: ReadonlyMap<unknown, string>;

  constructor(
    private readonly root: JsonObject,
    private readonly name: string,
    private readonly names: TypeNames,
  ) {
    this.#definitions = new Map(Object.entries(objectIn(root, '$defs')).map(([name, schema]) => [schema, name]));
  }

  payloadFields(): ReadonlyMap<string, TypedField> {
    return this.#fieldsOf(this.#partsOf([this.root]), this.name, [...EVENT_FIELDS, PREVIOUS_FIELD]);
  }

  /** @param parent the name of the type that has the value, @param property the value's name there */
  #typeOf(schemas: readonly unknown[], parent: string, property: string): ValueType {
    const parts = this.#partsOf(schemas);
    const form = formOf(parts);
    if (form === 'array') {
      return { item: this.#typeOf(itemsOf(parts), parent, property) };
    }
    return form === 'object' ? this.#objectOf(parts, parent, property) : form;
  }

  /** All schemas that judge the same value. */
  #partsOf(schemas: readonly unknown[]): JsonObject[] {
    const parts = new Set<JsonObject>();
    const add = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null || parts.has(schema as JsonObject)) {
        return;
      }
      const part = schema as JsonObject;
      parts.add(part);
      add(part['$ref'] === undefined ? undefined : objectIn(this.root, '$defs')[referredTo(part)!]);
      Object.values(objectIn(part, 'allOf')).forEach(add);
      onlyChoices(part).forEach(add);
    };
    schemas.forEach(add);
    return [...parts];
  }

  #objectOf(parts: readonly JsonObject[], parent: string, property: string): ValueType {
    const named = parts.filter(hasNames);
    const key = named.map((part) => this.#numberOf(part)).join();
    const known = this.#objects.get(key);
    if (known !== undefined || named.length === 0 || this.#objects.size >= OBJECTS_MAX) {
      return known ?? 'JSON';
    }
    const definition = named.length === 1 ? this.#definitions.get(named[0]) : undefined;
    const name = this.names.take(definition === undefined ? `${parent}.${property}` : `${this.name}.${definition}`);
    const fields = new Map<string, TypedField>();
    const type = { name, description: textOf(named), fields };
    this.#objects.set(key, type);
    for (const [field, typed] of this.#fieldsOf(named, name, [])) {
      fields.set(field, typed);
    }
    return type;
  }

  #fieldsOf(parts: readonly JsonObject[], parent: string, reserved: readonly string[]): Map<string, TypedField> {
    const properties = new Map<string, unknown[]>();
    for (const part of parts) {
      const inPart = objectIn(part, 'properties');
      const required = (part['required'] ?? []) as string[];
      for (const property of [...Object.keys(inPart), ...required]) {
        const schemas = properties.get(property) ?? [];
        properties.set(property, Object.hasOwn(inPart, property) ? [...schemas, inPart[property]] : schemas);
      }
    }
    const names = fieldNames([...properties.keys()], reserved);
    return new Map(
      [...properties].map(([property, schemas]): [string, TypedField] => {
        const name = names.get(property)!;
        const about = name === property ? [] : [`The field ${JSON.stringify(property)} of the payload.`];
        const description = [textOf(this.#partsOf(schemas)), ...about].filter((text) => text !== '').join('\n');
        return [name, { property, description, type: this.#typeOf(schemas, parent, property) }];
      }),
    );
  }

  #numberOf(part: JsonObject): number {
    const number = this.#numbers.get(part) ?? this.#numbers.size;
    this.#numbers.set(part, number);
    return number;
  }
}

const hasNames = (part: JsonObject): boolean => Object.keys(objectIn(part, 'properties')).length > 0;

const textOf = (parts: readonly JsonObject[]): string =>
  parts.map(({ description }) => description).find((text) => typeof text === 'string') ?? '';

/** A name that GraphQL does not keep for itself. */
const FIELD_NAME = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The name that GraphQL has for each property: its own if possible. In others `_` stands for each character that
 * GraphQL has not, and where that name is taken too, it begins with `payload_`.
 */
function fieldNames(properties: readonly string[], reserved: readonly string[]): Map<string, string> {
  const taken = new Set(reserved);
  const names = new Map<string, string>();
  const give = (property: string, name: string) => {
    taken.add(name);
    names.set(property, name);
  };
  const isFree = (name: string) => FIELD_NAME.test(name) && !taken.has(name);
  for (const property of properties.filter(isFree)) {
    give(property, property);
  }
  for (const property of properties.filter((one) => !names.has(one))) {
    const similar = property.replaceAll(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=\d|$)/, '_');
    const wanted = isFree(similar) ? similar : `payload_${similar}`;
    let name = wanted;
    for (let number = 2; !isFree(name); number++) {
      name = `${wanted}_${number}`;
    }
    give(property, name);
  }
  return names;
}
