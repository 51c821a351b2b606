import { isObject } from '../../schema-rules/subschemas.js';
import { typeNameOf } from '../../schema-rules/type-names.js';
import type { EVENT_FIELDS } from './schema-types.js';

/** A field of a shape's result. */
export type PlannedField = { readonly key: string } & (
  | { readonly event: (typeof EVENT_FIELDS)[number] | 'previous'; readonly fields?: readonly PlannedField[] }
  /** Null: the name that belongs to the event's type. */
  | { readonly typename: string | null }
  | { readonly property: string; readonly fields?: readonly PlannedField[] }
);

/**
 * A shape as it is carried out: JSON that is stored beside the shape's text. It was made with the schemas of the day,
 * so what a shape means does not change with them.
 */
export interface ShapePlan {
  /** By the names of event types. */
  readonly types: Readonly<Record<string, readonly PlannedField[]>>;
  /** The fields for all other types. */
  readonly otherwise: readonly PlannedField[];
}

/** A shape as it is stored. */
export interface StoredShape {
  readonly text: string;
  readonly plan: ShapePlan;
}

export interface ShapedEvent {
  readonly id: number;
  readonly type: string;
  /** The text for the result. */
  readonly time: string;
  /** Parsed. */
  readonly payload: unknown;
  /** The state before the change that it reports, and what has changed; null: it is not known. */
  readonly previous: unknown;
  readonly changes: object | null;
}

/** Whether a shape asks for the former state, or for what has changed. */
export const shapeAsksFormer = ({ types, otherwise }: ShapePlan): boolean =>
  [otherwise, ...Object.values(types)].flat().some((one) => 'event' in one && /^(previous|changes)$/.test(one.event));

/** Around a key: quotes, colon, comma. */
const CHARS_AROUND_KEY = 4;

/**
 * The fields of an event that a shape asks for, in the order of the shape. Missing ones are null. A list is projected
 * item by item, whatever its schema says. It takes a time that grows with payload and result.
 *
 * @param charsMax for the names of fields in the result, which a list repeats for each item
 * @param work counts the fields of the result, and the items of lists
 * @returns null when there are more
 */
export function shaped(
  plan: ShapePlan,
  event: ShapedEvent,
  work: { take(steps: number): void },
  charsMax: number,
): Record<string, unknown> | null {
  let charsLeft = charsMax;
  const fieldsIn = (value: object, fields: readonly PlannedField[]): Record<string, unknown> => {
    work.take(fields.length);
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      charsLeft -= field.key.length + CHARS_AROUND_KEY;
      result[field.key] = fieldOf(value, field);
    }
    return result;
  };
  const fieldOf = (value: object, field: PlannedField): unknown => {
    if ('event' in field) {
      const value = field.event === 'id' ? String(event.id) : event[field.event];
      return field.fields === undefined ? value : projected(value, field.fields);
    }
    if ('typename' in field) {
      return field.typename ?? typeNameOf(event.type);
    }
    const { property, fields } = field;
    const found = Object.hasOwn(value, property) ? (value as Record<string, unknown>)[property] : null;
    return fields === undefined ? found : projected(found, fields);
  };
  const projected = (value: unknown, fields: readonly PlannedField[]): unknown => {
    if (Array.isArray(value) && charsLeft >= 0) {
      work.take(value.length);
      return value.map((item) => projected(item, fields));
    }
    return isObject(value) && charsLeft >= 0 ? fieldsIn(value, fields) : null;
  };
  const fields = Object.hasOwn(plan.types, event.type) ? plan.types[event.type]! : plan.otherwise;
  const result = fieldsIn(isObject(event.payload) ? event.payload : {}, fields);
  return charsLeft < 0 ? null : result;
}
