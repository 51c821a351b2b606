import { z } from 'zod';
import { judgeUrl, type TargetPolicy } from '../../domain/addresses/target.js';
import { listNames, WILDCARD } from '../../domain/events/event-type.js';
import type { Field, Fields, Text, ValuesOf } from '../../domain/fields/field.js';
import { EVENT_TYPES_MAX } from '../../domain/fields/webhook-fields.js';

/** The rules of some kinds compare with it. */
interface Known {
  target: TargetPolicy;
  /** The names of all event types. */
  eventTypes: readonly string[];
}

/** Checks a value, for REST and GraphQL alike, and makes of it the one to store. Null only if the field is optional. */
function ruleOf(field: Field, known: Known): z.ZodType {
  switch (field.kind) {
    case 'text':
      return field.optional
        ? text(field, 0)
            .nullable()
            .transform((value) => value || null)
        : text(field);
    case 'url':
      return url(known.target);
    case 'eventTypes':
      return eventTypeNames(known.eventTypes);
  }
}

function shapeOf(fields: Fields, form: (field: Field) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, form(field)]));
}

/** The fields of a new object. Optional ones that are left out are null. */
export const newValues = <Table extends Fields>(fields: Table, known: Known) =>
  z.object(
    shapeOf(fields, (field) => {
      const rule = ruleOf(field, known);
      return field.optional ? rule.optional().transform((value) => value ?? null) : rule;
    }),
  ) as unknown as z.ZodType<ValuesOf<Table>>;

/** The fields of a change. Its output leaves out the same ones; null is one that was left out, unless it clears it. */
export const changedValues = <Table extends Fields>(fields: Table, known: Known) =>
  z.preprocess(
    (input) =>
      Object.fromEntries(Object.entries(input as object).filter(([name, value]) => isGiven(fields[name], value))),
    z.object(shapeOf(fields, (field) => ruleOf(field, known))).partial(),
  ) as unknown as z.ZodType<Partial<ValuesOf<Table>>>;

const isGiven = (field: Field | undefined, value: unknown) =>
  value !== undefined && (value !== null || field?.optional === true);

function text({ charsMax, lines }: Text, charsMin = 1) {
  return z
    .string()
    .trim()
    .min(charsMin, 'must not be empty')
    .max(charsMax, `must have at most ${charsMax} characters`)
    .regex(lines ? /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u : /^[^\p{Cc}\p{Cs}]*$/u, NO_CONTROL);
}

const NO_CONTROL = 'must not contain control characters, nor halves of characters';

function url(policy: TargetPolicy) {
  return z.string().transform((given, context) => {
    const verdict = judgeUrl(given, policy);
    if (verdict.allowed) {
      return verdict.url;
    }
    context.addIssue({ code: 'custom', message: verdict.reason, params: { code: verdict.code } });
    return z.NEVER;
  });
}

/** 1–100 different names of event types that exist, or exactly `["*"]`. */
export function eventTypeNames(knownNames: readonly string[], forAll = `, or ["${WILDCARD}"] for all`) {
  return z
    .array(z.string())
    .min(1, 'must name at least one event type, or be ["*"]')
    .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
    .superRefine((names, context) => {
      const add = (path: number[], code: string, message: string) =>
        context.addIssue({ code: 'custom', path, message, params: { code } });
      // There may be a million names: then only their number is reported.
      const judged = names.length > EVENT_TYPES_MAX ? [] : names;
      judged.forEach((name, index) => {
        if (name === WILDCARD) {
          if (names.length > 1) {
            add([index], 'wildcard_not_alone', '"*" means all event types and must stand alone');
          }
        } else if (!knownNames.includes(name)) {
          add([index], 'event_type_unknown', `${notAType(knownNames)}${forAll}`);
        } else if (names.indexOf(name) < index) {
          add([index], 'duplicate', 'stands in the list twice');
        }
      });
    });
}

export const notAType = (knownNames: readonly string[]) =>
  `is not an event type; known types: ${listNames(knownNames)}`;
