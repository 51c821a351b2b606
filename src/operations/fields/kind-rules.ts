import { z } from 'zod';
import { judgeUrl, type TargetPolicy } from '../../domain/addresses/target.js';
import { namesOf, PATH_CHARS_MAX, PATH_NAMES_MAX } from '../../domain/content/filter-path.js';
import type { StoredShape } from '../../domain/content/shape/project.js';
import { textProblems } from '../../domain/content/template.js';
import { listNames, notAType, WILDCARD } from '../../domain/events/event-type.js';
import type { AuthInput } from '../../domain/fields/auth.js';
import { type MaxName, type NamesKnown, TEXT_MAP_KEY, type Text, type TextMap } from '../../domain/fields/field.js';
import { EVENT_TYPES_MAX } from '../../domain/fields/webhook-fields.js';
import { EXTERNAL_ID_RULE, isExternalId } from '../../domain/ids/external-id.js';
import { visibleText } from '../../domain/text/visible-text.js';
import type { Config } from '../../platform/settings/config.js';
import { type KnownType, readShape } from '../../platform/shapes/read-shape.js';
import { readAuth } from './auth-rules.js';

/** The rules of some kinds compare with it. */
export interface Known {
  target: TargetPolicy;
  eventTypes: KnownTypes;
  /** All event types with their schemas, in the order of their names. */
  schemas: readonly KnownType[];
  /** The shape that the webhook has: it may stay, whatever its event types have become. */
  storedShape?: StoredShape | null | undefined;
  /** `HEADER_PREFIX`. */
  headerPrefix: string;
  /** The operator's own maxima. */
  maxima: Readonly<Record<MaxName, number>>;
  /** The names that texts may be `among`. */
  names: Readonly<Record<NamesKnown, readonly string[]>>;
  /** `RETENTION_DAYS`. */
  retentionDays: number;
  /** The clock, because certificates end. */
  now: () => Date;
}

/** The names of all event types, and of those that messages list: the others are hidden. */
export interface KnownTypes {
  all: readonly string[];
  shown: readonly string[];
}

/** The rules of an installation, but for its event types. */
export const knownOf = ({ target, delivery, retentionDays }: Config, now = () => new Date()): Known => ({
  target,
  eventTypes: { all: [], shown: [] },
  schemas: [],
  headerPrefix: delivery.headerPrefix,
  maxima: delivery,
  names: { signatureForms: [...delivery.signatureForms.keys()], releases: [] },
  retentionDays,
  now,
});

export const refused = (code: string, message: string) => ({ message, params: { code } });

export function text({ charsMax, lines, among }: Omit<Text, 'kind'>, name: string, { names }: Pick<Known, 'names'>) {
  const written = z
    .string()
    .overwrite(visibleText)
    .trim()
    .min(1, 'must not be empty')
    .refine(
      (value) => value.length <= charsMax,
      refused(`${name}_too_long`, `must have at most ${charsMax} characters`),
    )
    .regex(lines ? LINES : ONE_LINE, NO_CONTROL);
  return among === undefined
    ? written
    : written.refine((value) => names[among].includes(value), refused(`${name}_unknown`, notAmong(names[among])));
}

/** The fault of a name that is not among those that there are, as the end of a sentence. */
export const notAmong = (names: readonly string[]): string =>
  `is not one that this installation has: ${names.length === 0 ? 'it has none' : listNames(names)}`;

/** Not trimmed: an id is the same text in both systems. */
export const externalId = z
  .string()
  .refine(isExternalId, refused('external_id_malformed', `must be ${EXTERNAL_ID_RULE}`));

const LINES = /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u;
const ONE_LINE = /^[^\p{Cc}\p{Cs}]*$/u;
const NO_CONTROL = 'must not contain control characters, nor halves of characters';

export function url(policy: TargetPolicy) {
  return z.string().transform((given, context) => {
    const verdict = judgeUrl(given, policy);
    if (verdict.allowed) {
      return verdict.url;
    }
    context.addIssue({ code: 'custom', message: verdict.reason, params: { code: verdict.code } });
    return z.NEVER;
  });
}

export function textMap({ countMax, valueCharsMax }: TextMap, name: string) {
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
            'is not a key of 1 to 40 letters, digits, "_", "." and "-", nor may a key be __proto__',
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

export const auth = (known: Known) =>
  z.custom<AuthInput>().transform((input, context) => {
    const read = readAuth(input, known);
    if ('problems' in read) {
      addProblems(context, read.problems);
      return z.NEVER;
    }
    return read.auth;
  });

export interface Problem {
  path?: PropertyKey[];
  code: string;
  detail: string;
}

/** Reports what a judge of the domain has found. */
export function addProblems(context: z.core.$RefinementCtx, problems: readonly Problem[]): void {
  for (const { path = [], code, detail } of problems) {
    context.addIssue({ code: 'custom', path, ...refused(code, detail) });
  }
}

/** The text of a message, with placeholders. */
export const message = (charsMax: number) =>
  z.string().superRefine((value, context) => {
    const tooLong = { code: 'content_text_too_long', detail: `must have at most ${charsMax} characters` };
    addProblems(context, value.length > charsMax ? [tooLong] : textProblems(value, 'content_text'));
  });

/** Not trimmed: faults have the lines of the text as it was written. */
export const shape = (charsMax: number, name: string, { schemas, storedShape }: Known) =>
  z
    .string()
    .refine(
      (written) => written.length <= charsMax,
      refused(`${name}_too_long`, `must have at most ${charsMax} characters`),
    )
    .regex(LINES, NO_CONTROL)
    .transform((written, context) => {
      const read = readShape(written, schemas);
      if ('plan' in read) {
        return { text: written, plan: read.plan };
      }
      if (storedShape?.text === written) {
        return storedShape;
      }
      const problems = read.faults.map(({ line, column, message }) => ({
        code: `${name}_invalid`,
        detail: `is wrong in line ${line}, column ${column}: ${message}`,
      }));
      addProblems(context, problems);
      return z.NEVER;
    });

export const path = (refusedAs: string) =>
  z.string().refine((written) => namesOf(written) !== null, refused(refusedAs, PATH_RULE));

const PATH_RULE = `must be 1 to ${PATH_NAMES_MAX} names with dots between them, such as order.id, and have at most ${PATH_CHARS_MAX} characters; a name with others than letters, digits, "_" and "-" is in double quotes`;

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
          add([index], 'event_type_unknown', notAType(known.shown, name, forAll));
        } else if (names.indexOf(name) < index) {
          add([index], 'duplicate', 'is in the list twice');
        }
      });
    });
}
