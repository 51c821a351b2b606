import { z } from 'zod';
import { isEventTypeName, WILDCARD } from '../../../domain/events/event-type.js';
import { KEY_LIFETIME_SECONDS_MAX, KEY_LIFETIME_SECONDS_MIN } from '../../../domain/keys/api-key.js';
import { GRANTABLE_SCOPES, PLATFORM_SCOPES, type Scope } from '../../../domain/keys/scopes.js';
import { ROTATION_HOURS } from '../../../domain/signing/key-times.js';
import { oneOf } from '../../../domain/text/nearest-word.js';
import { type InputIssue, invalidInput, type Path } from '../../../errors.js';
import { eventTypeNames, type KnownTypes } from '../../../operations/fields/kind-rules.js';

/** Accepts 1–100 different names of existing event types. */
export function replayedEventTypes(known: KnownTypes) {
  return eventTypeNames(known, '').refine((names) => !names.includes(WILDCARD), {
    message: 'must name event types; leave it out for all',
    params: { code: 'event_type_unknown' },
  });
}

/** Accepts a valid name for an event type, whether it exists or not. */
export const newEventTypeName = z
  .string()
  .refine(
    isEventTypeName,
    'must be 2 or more parts of a-z, 0-9 and _, separated by dots, such as "order.paid", and have at most 128 characters',
  );

const DESCRIPTION_LENGTH_MAX = 1_000;
export const eventTypeDescription = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(DESCRIPTION_LENGTH_MAX, `must have at most ${DESCRIPTION_LENGTH_MAX} characters`)
  .regex(/^[^\0]*$/, 'must not contain the character NUL');

export const idempotencyKey = z.string().regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters');

export const orderingKey = z.string().refine((key) => /^[\x20-\x7e]{1,255}$/.test(key), {
  message: 'must be 1 to 255 printable ASCII characters',
  params: { code: 'ordering_key_malformed' },
});

const knownScopes: readonly string[] = [...GRANTABLE_SCOPES, ...PLATFORM_SCOPES];
const NAME_SHOWN_LENGTH_MAX = 50;

/**
 * Accepts different existing scopes, whether the caller may grant them or not.
 *
 * @param grantable for the message about an unknown scope
 */
export function apiKeyScopes(grantable: readonly Scope[]) {
  return z
    .array(z.string())
    .min(1, 'must name at least one scope')
    .max(knownScopes.length, `must have at most ${knownScopes.length} scopes`)
    .superRefine((names, context) => {
      const add = (index: number, code: string, message: string) =>
        context.addIssue({ code: 'custom', path: [index], message, params: { code } });
      const judged = names.length > knownScopes.length ? [] : names;
      judged.forEach((name, index) => {
        const shown = JSON.stringify(name.slice(0, NAME_SHOWN_LENGTH_MAX));
        if (!knownScopes.includes(name)) {
          add(index, 'scope_unknown', `${shown} is not a scope; you can grant ${grantable.join(', ')}`);
        } else if (names.indexOf(name) < index) {
          add(index, 'duplicate', `${shown} is in the list twice`);
        }
      });
    })
    .transform((names) => names as Scope[]);
}

const SEARCH_LENGTH_MAX = 200;
export const searchText = z
  .string()
  .min(1, 'must not be empty')
  .max(SEARCH_LENGTH_MAX, `must have at most ${SEARCH_LENGTH_MAX} characters`)
  .regex(/^[^\0]*$/, 'must not contain the character NUL')
  .nullish();

/** The condition that a column contains a text, ignoring case. Postgres scans all rows. */
export const containing = (text: string) => ({ $ilike: `%${text.replace(/[\\%_]/g, '\\$&')}%` });

export const expiresInSeconds = z
  .int()
  .min(KEY_LIFETIME_SECONDS_MIN, `must be at least ${KEY_LIFETIME_SECONDS_MIN}`)
  .max(KEY_LIFETIME_SECONDS_MAX, `must be at most ${KEY_LIFETIME_SECONDS_MAX}`);

export const OVERLAP_HOURS_DEFAULT = 24;
const OVERLAP_HOURS_MAX = 168;

export const ROTATION_HOURS_DEFAULT = ROTATION_HOURS.min;

export const rotationHours = z
  .int()
  .refine((hours) => hours === 0 || (hours >= ROTATION_HOURS.min && hours <= ROTATION_HOURS.max), {
    message: `must be ${ROTATION_HOURS.min} to ${ROTATION_HOURS.max}, or 0`,
    params: { code: 'out_of_range' },
  });

export const overlapHours = z
  .int()
  .min(0, 'must be at least 0')
  .max(OVERLAP_HOURS_MAX, `must be at most ${OVERLAP_HOURS_MAX}`);

/** @throws ApiError invalid_input with every broken rule */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, path: Path): z.output<Schema> {
  const result = schema.safeParse(value, { error: inWords });
  if (!result.success) {
    throw invalidInput(result.error.issues.map((issue) => inputIssueOf(issue, path)));
  }
  return result.data;
}

/** Says what is allowed, as the end of a sentence, for rules without a message of their own. */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'invalid_value':
      return oneOf(issue.values.map(String), issue.input);
    default:
      return undefined;
  }
};

export function inputIssueOf(issue: z.core.$ZodIssue, path: Path): InputIssue {
  const ownCode = issue.code === 'custom' ? (issue.params?.['code'] as string | undefined) : issue.code;
  return { path: pathOf(issue, path), code: ownCode ?? 'invalid_value', detail: issue.message };
}

export function pathOf({ path }: z.core.$ZodIssue, before: Path) {
  return [...before, ...path.map((part) => (typeof part === 'number' ? part : String(part)))];
}
