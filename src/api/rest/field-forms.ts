import { z } from 'zod';
import { PATH_CHARS_MAX } from '../../domain/content/filter-path.js';
import { EVENT_TYPE_NAME, EVENT_TYPE_NAME_LENGTH_MAX, WILDCARD } from '../../domain/events/event-type.js';
import {
  type Field,
  type Fields,
  type Group,
  inputNames,
  isNullable,
  optionName,
  setName,
  type ValuesOf,
} from '../../domain/fields/field.js';
import { EVENT_TYPES_MAX, URL_LENGTH_MAX, webhookFields } from '../../domain/fields/webhook-fields.js';
import type { Path } from '../../errors.js';
import { amount, delay } from '../../operations/fields/kind-rules.js';
import { graphqlName, type RestName, restName } from './names.js';
import { authForm, filterForm, headerPlace, headersForm, inputsOf, warningForm } from './option-forms.js';

/** A component of the OpenAPI document. */
export const subscribedEvent = z.string().meta({
  id: 'SubscribedEvent',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: `^\\${WILDCARD}$|${EVENT_TYPE_NAME.source}`,
  description: `The name of an event, or "${WILDCARD}" for all events. More names can be registered at any time.`,
  examples: ['booking.created', WILDCARD],
});

const WHOLE = { type: 'integer', format: 'int32' };

/** The form of a value; the resolvers judge it. Numbers are judged here too: GraphQL has none above 32 bits. */
function formOf(field: Field, requested: boolean): z.ZodType {
  const description = field.rest!;
  switch (field.kind) {
    case 'text':
      return z.string().meta({ maxLength: field.charsMax, description });
    case 'url':
      return z
        .string()
        .refine((text) => text.length <= URL_LENGTH_MAX, {
          message: `must have at most ${URL_LENGTH_MAX} characters`,
          params: { code: 'url_too_long' },
        })
        .meta({ format: 'uri', maxLength: URL_LENGTH_MAX, description, examples: ['https://example.com/hooks'] });
    case 'eventTypes':
      return z
        .array(subscribedEvent)
        .min(1, 'must name at least one event, or be ["*"]')
        .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
        .meta({ uniqueItems: true, description, examples: [['booking.created', 'booking.canceled'], ['*']] });
    case 'textMap':
      return z.record(z.string(), z.unknown()).meta({
        maxProperties: field.countMax,
        additionalProperties: { type: requested ? ['string', 'null'] : 'string', maxLength: field.valueCharsMax },
        description,
        examples: [{ team: 'payments' }],
      });
    case 'number':
      return (requested ? amount(field) : z.number()).meta({
        ...(field.whole ? WHOLE : {}),
        minimum: field.min,
        maximum: field.max,
        description,
      });
    case 'delays':
      return z
        .array(requested ? delay(field).meta({ ...WHOLE, minimum: 1, maximum: field.secondsMax }) : z.number())
        .meta({ ...(requested ? { maxItems: field.countMax } : {}), description, examples: [[5, 60, 600]] });
    case 'choice':
      return z.enum(Object.keys(field.values)).meta({ description });
    case 'headers':
      return headersForm(requested, description);
    case 'auth':
      return authForm(requested, description);
    case 'message':
    case 'shape':
      return z.string().meta({ maxLength: field.charsMax, description });
    case 'template':
      return z.unknown().meta({ description, examples: [{ summary: 'Booking {{booking_code}}' }] });
    case 'path':
      return z.string().meta({ maxLength: PATH_CHARS_MAX, description, examples: ['order.id'] });
    case 'filter':
      return requested ? filterForm(description) : z.record(z.string(), z.unknown()).meta({ description });
  }
}

type Shown = [name: string, field: Field | Group][];
type Shape = Record<string, z.ZodType>;

function requestedOf(field: Field | Group): z.ZodType {
  if (field.kind === 'group') {
    const members = { ...requested(Object.entries(field.fields) as Shown), ...ignored(readOnlyOf(field)) };
    return z.strictObject(members).partial().nullish().meta({ description: field.rest! });
  }
  const form = formOf(field, true);
  return isNullable(field) ? form.nullish() : form;
}

const requested = (fields: Shown): Shape =>
  Object.fromEntries(fields.map(([name, field]) => [restName(name), requestedOf(field)]));

/** The parts of a group that only answers have. */
function readOnlyOf({ option, warns }: Group): Shape {
  const own = z.array(z.string()).meta({ description: 'The fields that are set here, and not inherited.' });
  const warnings = z.array(warningForm).meta({ description: 'Possible mistakes in these values.' });
  return { ...(option === undefined ? {} : { own }), ...(warns ? { warnings } : {}) };
}

function answeredOf([name, field]: Shown[number]): [name: string, form: z.ZodType] {
  const description = field.rest!;
  if (field.kind === 'group') {
    const members = answered(Object.entries(field.fields) as Shown);
    return [restName(name), z.object({ ...members, ...readOnlyOf(field) }).meta({ description })];
  }
  if (field.secret) {
    return [restName(setName(name)), z.boolean().meta({ description: `Whether it is set. ${description}` })];
  }
  const form = formOf(field, false);
  return [restName(name), field.optional && field.default === undefined ? form.nullable() : form];
}

const answered = (fields: Shown): Shape => Object.fromEntries(fields.map(answeredOf));

type Forms<Table extends Fields> = {
  [Name in keyof Table as Table[Name] extends { optionsRow: true }
    ? never
    : Table[Name] extends { rest: string }
      ? RestName<Name>
      : never]: z.ZodType<ValuesOf<Table>[Name & keyof ValuesOf<Table>]>;
};

const shownIn = (fields: Fields, optionsRow: boolean): Shown =>
  Object.entries(fields).filter(([, field]) => field.rest !== undefined && (field.optionsRow === true) === optionsRow);

/** The fields of a noun that REST shows, under its names: as requests have them, and as answers have them. */
export function formsOf<Table extends Fields>(fields: Table): [requested: Forms<Table>, answered: Forms<Table>] {
  const shown = shownIn(fields, false);
  return [requested(shown) as Forms<Table>, answered(shown) as Forms<Table>];
}

/** The same for its options: the fields in the options row. */
export function optionFormsOf(fields: Fields): [requested: Shape, answered: Shape] {
  const shown = shownIn(fields, true);
  return [requested(shown), answered(shown)];
}

/** The forms of fields that only answers have, in requests: what GET shows may be sent back whole. */
export const ignored = (shape: Shape): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, form]) => [
      name,
      form.optional().meta({ readOnly: true, description: 'Only answers have it. In a request it is ignored.' }),
    ]),
  );

/** Gives the fields of a body their names in GraphQL. In a group, null resets a value that would be inherited. */
export function inGraphqlTerms(fields: Fields, body: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([inRest, value]) => {
      const name = graphqlName(inRest);
      const field = fields[name];
      return [name, field?.kind === 'group' ? groupChange(field, value as object | null) : value];
    }),
  );
}

function groupChange({ fields }: Group, patch: object | null): Record<string, unknown> {
  const empty = Object.fromEntries(Object.keys(fields).map((name) => [restName(name), null]));
  const values = Object.entries(inGraphqlTerms(fields as Fields, patch ?? empty));
  const isHeaders = (name: string) => fields[name]?.kind === 'headers';
  const isReset = ([name, value]: [string, unknown]) =>
    value === null && (isHeaders(name) || fields[name]?.inherited !== undefined);
  const reset = values.filter(isReset).map(([name]) => optionName(name));
  const changes = values.filter((one) => !isReset(one));
  return {
    ...Object.fromEntries(changes.flatMap((one) => inputsOf(fields[one[0]], one))),
    ...(reset.length === 0 ? {} : { reset }),
  };
}

/** Merges a change into maps, which GraphQL replaces as a whole (RFC 7396). @param row the stored values */
export function mergedMaps(fields: Fields, row: object | null, change: object): Record<string, unknown> {
  const merged = ([name, patch]: [string, unknown]) => {
    const values = { ...(row as Record<string, object> | null)?.[name], ...(patch as object) };
    return [name, Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))];
  };
  const isMap = ([name, patch]: [string, unknown]) => fields[name]?.kind === 'textMap' && patch !== null;
  return Object.fromEntries(Object.entries(change).map((one) => (isMap(one) ? merged(one) : one)));
}

/**
 * Where a field of GraphQL's input stands in a body. Other steps, such as keys of a map, have no other names.
 *
 * @param input has the names of headers, which stand in a list there
 */
export function restPlace([name, ...rest]: Path, input?: unknown, fields: Fields = webhookFields): Path {
  if (name === undefined) {
    return [];
  }
  const value = (input as Readonly<Record<string, unknown>> | undefined)?.[name];
  const headers = Object.entries(fields).find(([one, { kind }]) => inputNames(one, { kind }).includes(String(name)));
  if (headers?.[1].kind === 'headers') {
    return [restName(headers[0]), ...headerPlace(rest, value)];
  }
  const field = fields[name];
  const steps = field?.kind === 'group' ? restPlace(rest, value, field.fields as Fields) : rest;
  const named = (step: string | number) => (typeof step === 'string' ? restName(step) : step);
  return [named(name), ...(field?.kind === 'auth' ? steps.map(named) : steps)];
}

/** The same in the body of a webhook, which has options in an object of their own. */
export const placeInWebhook = (path: Path, input?: unknown): Path =>
  (webhookFields as Fields)[path[0]!]?.optionsRow ? ['options', ...restPlace(path, input)] : restPlace(path, input);
