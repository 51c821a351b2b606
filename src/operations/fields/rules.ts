import { z } from 'zod';
import { judgeUrl, type TargetPolicy } from '../../domain/addresses/target.js';
import { listNames, WILDCARD } from '../../domain/events/event-type.js';
import { type AuthInput, authProblems } from '../../domain/fields/auth.js';
import {
  type Delays,
  type Field,
  type Fields,
  flat,
  flatValues,
  type Group,
  isNullable,
  type MaxName,
  optionName,
  type Quantity,
  TEXT_MAP_KEY,
  type Text,
  type TextMap,
  type ValuesOf,
} from '../../domain/fields/field.js';
import { EVENT_TYPES_MAX } from '../../domain/fields/webhook-fields.js';
import { snakeCase } from '../../domain/snake-case.js';
import type { Config } from '../../platform/settings/config.js';
import { headerRules, withHeaderChanges } from './header-rules.js';

/** The rules of some kinds compare with it. */
interface Known {
  target: TargetPolicy;
  eventTypes: KnownTypes;
  /** `HEADER_PREFIX`. */
  headerPrefix: string;
  /** The operator's own maxima. */
  maxima: Readonly<Record<MaxName, number>>;
  /** `RETENTION_DAYS`. */
  retentionDays: number;
}

/** The names of all event types, and of those that messages list: the others are hidden. */
export interface KnownTypes {
  all: readonly string[];
  shown: readonly string[];
}

/** The rules of an installation, but for its event types. */
export const knownOf = ({ target, delivery, retentionDays }: Config): Known => ({
  target,
  eventTypes: { all: [], shown: [] },
  headerPrefix: delivery.headerPrefix,
  maxima: delivery,
  retentionDays,
});

/** Checks a value, for REST and GraphQL alike, and makes of it the one to store. Null only if the field is optional. */
function ruleOf(name: string, field: Field | Group, known: Known): z.ZodType {
  if (field.kind === 'group') {
    return groupRule(field, known);
  }
  const rule = ofKind(name, field, known);
  if (field.inherited !== undefined) {
    const detail = 'must not be null: `reset` brings back the inherited value';
    return z
      .unknown()
      .refine((value) => value !== null, refused('reset_instead', detail))
      .pipe(rule as never);
  }
  if (field.kind === 'auth') {
    return rule.nullable();
  }
  return field.optional ? z.preprocess(nullIfEmpty, rule.nullable()) : rule;
}

function ofKind(name: string, field: Field, known: Known): z.ZodType {
  switch (field.kind) {
    case 'text':
      return text(field, snakeCase(name));
    case 'url':
      return url(known.target);
    case 'eventTypes':
      return eventTypeNames(known.eventTypes);
    case 'textMap':
      return textMap(field, snakeCase(name));
    case 'number':
      return quantity(field, known);
    case 'delays':
      return delays(field, known);
    case 'choice':
      return z.enum(Object.keys(field.values));
    case 'auth':
      return auth(known.headerPrefix);
    case 'headers':
      throw new Error('Headers are checked with their group.');
  }
}

/** A group's fields, one by one: those that are left out stay. */
function groupRule({ fields }: Group, known: Known): z.ZodType {
  const others = Object.fromEntries(Object.entries(fields).filter(([, { kind }]) => kind !== 'headers'));
  const more = { reset: z.array(z.string()).nullish(), ...headerRules(fields as Fields, known.headerPrefix) };
  return changes(others as Fields, known, more).transform(({ reset: names, ...given }, context) => {
    const values = withHeaderChanges(fields as Fields, given);
    const back = Object.keys(fields).filter((name) => (names as string[] | null)?.includes(optionName(name)));
    for (const name of back.filter((one) => one in values)) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is also in `reset`',
        params: { code: 'contradiction' },
      });
    }
    return { ...values, ...Object.fromEntries(back.map((name) => [name, null])) };
  });
}

function shapeOf(fields: Fields, form: (name: string, field: Field | Group) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, form(name, field)]));
}

/** The fields of a new object, those of groups among them. Optional ones that are left out are null. */
export const newValues = <Table extends Fields>(fields: Table, known: Known) => {
  const empty = Object.fromEntries(flat(fields).flatMap(([name, field]) => (isNullable(field) ? [[name, null]] : [])));
  const shape = shapeOf(fields, (name, field) => {
    const rule = ruleOf(name, field, known);
    return field.kind === 'group' || isNullable(field) ? rule.nullish() : rule;
  });
  return z
    .object(shape)
    .transform((values) => ({ ...empty, ...given(flatValues(fields, values)) })) as unknown as z.ZodType<
    ValuesOf<Table>
  >;
};

/** The fields of a change. Its output leaves out the same ones; null is one that was left out, unless it clears it. */
export const changedValues = <Table extends Fields>(fields: Table, known: Known) =>
  changes(fields, known).transform((values) => flatValues(fields, values)) as unknown as z.ZodType<
    Partial<ValuesOf<Table>>
  >;

const changes = (fields: Fields, known: Known, more: Record<string, z.ZodType> = {}) =>
  z.preprocess(
    (input) =>
      Object.fromEntries(Object.entries(input as object).filter(([name, value]) => isGiven(fields[name], value))),
    z.object({ ...shapeOf(fields, (name, field) => ruleOf(name, field, known)), ...more }).partial(),
  );

const isGiven = (field: Field | Group | undefined, value: unknown) =>
  value !== undefined && (value !== null || (field !== undefined && field.kind !== 'group' && isNullable(field)));

const given = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

/** An empty text or map clears a field as null does. */
const nullIfEmpty = (value: unknown) =>
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    ? null
    : value;

const refused = (code: string, message: string) => ({ message, params: { code } });

function text({ charsMax, lines }: Omit<Text, 'kind'>, name: string) {
  return z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine(
      (value) => value.length <= charsMax,
      refused(`${name}_too_long`, `must have at most ${charsMax} characters`),
    )
    .regex(lines ? /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u : ONE_LINE, NO_CONTROL);
}

const ONE_LINE = /^[^\p{Cc}\p{Cs}]*$/u;
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

function textMap({ countMax, valueCharsMax }: TextMap, name: string) {
  return z
    .custom<Record<string, unknown>>((value) => typeof value === 'object')
    .superRefine((map, context) => {
      const add = (key: string[], code: string, message: string) =>
        context.addIssue({ code: 'custom', path: key, ...refused(`${name}_${code}`, message) });
      const entries = Object.entries(map);
      if (entries.length > countMax) {
        return add([], 'too_many', `must have at most ${countMax} keys`);
      }
      for (const [key, value] of entries) {
        if (!TEXT_MAP_KEY.test(key)) {
          add(
            [key.slice(0, KEY_SHOWN_LENGTH_MAX)],
            'key_malformed',
            'is not a key of 1 to 40 letters, digits, "_", "." and "-"',
          );
        } else if (typeof value !== 'string' || /[\0\p{Cs}]/u.test(value)) {
          add([key], 'value_no_text', 'must be a text, without the character NUL and halves of characters');
        } else if (value.length > valueCharsMax) {
          add([key], 'value_too_long', `must have at most ${valueCharsMax} characters`);
        }
      }
    });
}

const KEY_SHOWN_LENGTH_MAX = 50;

const auth = (prefix: string) =>
  z.custom<AuthInput>().superRefine((input, context) => {
    for (const { path, code, detail } of authProblems(input, prefix)) {
      context.addIssue({ code: 'custom', path, ...refused(code, detail) });
    }
  });

function quantity({ min, max: most, maxOf, whole, refusedAs }: Quantity, { maxima }: Known) {
  const max = maxOf === undefined ? most : Math.min(most, maxima[maxOf]);
  const wrong = (value: number) => !(value >= min && value <= max) || (whole === true && !Number.isInteger(value));
  return z.number().refine((value) => !wrong(value), refused(refusedAs, `must be ${min} to ${max}`));
}

/** A delivery and its attempts are kept for the retention: the last retry comes a day before its end at the latest. */
function delays({ countMax, secondsMax, totalSecondsMax, refusedAs }: Delays, { retentionDays }: Known) {
  const totalMax = Math.min(totalSecondsMax, (retentionDays - 1) * DAY_SECONDS);
  return z.array(z.number()).superRefine((seconds, context) => {
    const add = (path: number[], code: string, message: string) =>
      context.addIssue({ code: 'custom', path, message, params: { code } });
    if (seconds.length > countMax) {
      return add([], refusedAs.count, `must have at most ${countMax} delays`);
    }
    const wrong = seconds.flatMap((delay, index) =>
      Number.isInteger(delay) && delay >= 1 && delay <= secondsMax ? [] : [index],
    );
    for (const index of wrong) {
      add([index], refusedAs.each, `must be a whole number of seconds, 1 to ${secondsMax}`);
    }
    if (wrong.length === 0 && seconds.reduce((sum, delay) => sum + delay, 0) > totalMax) {
      add([], refusedAs.total, `must have at most ${totalMax} seconds together (${totalMax / DAY_SECONDS} days)`);
    }
  });
}

const DAY_SECONDS = 86_400;

/** 1–100 different names of event types that exist, or exactly `["*"]`. */
export function eventTypeNames(known: KnownTypes, forAll = `, or ["${WILDCARD}"] for all`) {
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
        } else if (!known.all.includes(name)) {
          add([index], 'event_type_unknown', `${notAType(known)}${forAll}`);
        } else if (names.indexOf(name) < index) {
          add([index], 'duplicate', 'stands in the list twice');
        }
      });
    });
}

export const notAType = ({ shown }: KnownTypes) => `is not an event type; known types: ${listNames(shown)}`;
