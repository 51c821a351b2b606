import type { JsonObject } from '../../schema-rules/subschemas.js';
import type { PlannedField } from './project.js';
import { eventObjectTypes, type ObjectType, shapeTypeNames, type ValueType } from './schema-types.js';

/**
 * The paths that a shape asks for and that payloads of the schema do not have, such as `customer.email`. Those of the
 * state before a change, which has the same fields, begin with `previous.`.
 */
export function missingFields(schema: JsonObject, planned: readonly PlannedField[]): string[] {
  const name = 'event.type'; // stands for any
  const [type] = eventObjectTypes([{ name, description: '', schema }], shapeTypeNames([name]));
  return [...new Set(missingIn(type!, planned, ''))];
}

function missingIn(type: ObjectType, planned: readonly PlannedField[], prefix: string): string[] {
  const types = new Map([...type.fields.values()].map((field) => [field.property, field.type]));
  return planned.flatMap((field) => {
    if ('event' in field && field.event === 'previous') {
      return missingIn(type, field.fields ?? [], `${prefix}${field.event}.`);
    }
    if (!('property' in field)) {
      return [];
    }
    const path = `${prefix}${field.property}`;
    const found = types.get(field.property);
    if (found === undefined) {
      return [path];
    }
    const inner = itemOf(found);
    return inner === 'JSON' ? [] : missingIn(typeof inner === 'string' ? NONE : inner, field.fields ?? [], `${path}.`);
  });
}

/** A text or a number has no fields. */
const NONE: ObjectType = { name: '', description: '', fields: new Map() };

/** The type of the values in a list, or in a list of lists. A value of any form (JSON) may have every field. */
const itemOf = (type: ValueType): Exclude<ValueType, { item: ValueType }> =>
  typeof type !== 'string' && 'item' in type ? itemOf(type.item) : type;
