import { z } from 'zod';
import { CONDITIONS_MAX, FILTER_LIST_MAX, FILTER_OPS, FILTER_TEXT_CHARS_MAX } from '../../domain/content/filter.js';
import { PATH_CHARS_MAX, PATH_NAMES_MAX } from '../../domain/content/filter-path.js';
import { WARNING_CODES } from '../../domain/content/option-warnings.js';
import { type Field, type Fields, type Group, inputNames, setName } from '../../domain/fields/field.js';
import { HEADERS_MAX, type ShownHeader } from '../../domain/fields/headers.js';
import type { Path } from '../../errors.js';
import { filter } from '../../operations/fields/tree-rules.js';
import { graphqlName, restName } from './names.js';

/** The forms of options whose shape in REST is another than in GraphQL. */

export function headersForm(requested: boolean, description: string): z.ZodType {
  const value = z.string().meta({ description: 'The value.' });
  const secret = z.boolean().meta({ description: 'Whether nobody can read the value.' });
  const form = requested
    ? z.strictObject({ value: value.optional(), secret: secret.optional() }).nullable()
    : z.object({ value: value.optional(), secret });
  return z.record(z.string(), form).meta({
    maxProperties: HEADERS_MAX,
    description,
    examples: [{ 'X-Api-Key': requested ? { value: '3f8c1e' } : { secret: true } }],
  });
}

export function authForm(requested: boolean, description: string): z.ZodType {
  const text = z.string();
  const shown = {
    kind: text.meta({ pattern: '^[A-Z_]+$', description: 'BASIC, BEARER or API_KEY.', examples: ['BASIC'] }),
    username: text.nullable().meta({
      description:
        'The user name of BASIC. It is null where it is the secret, because there is no password, and for other kinds.',
    }),
    header: text.nullable().meta({ description: 'The name of the header of API_KEY, else null.' }),
  };
  if (!requested) {
    return z.object(shown).meta({ description });
  }
  const given = {
    basic: z.strictObject({ username: text, password: text }).meta({
      description:
        'A user name and a password. One of them may be empty; without a password nobody can read the user name.',
    }),
    bearer: text.meta({ description: 'A token.' }),
    api_key: z.strictObject({ header: text, value: text }).meta({ description: 'A key in a header of its own.' }),
  };
  const examples = [{ basic: { username: 'hooks', password: 'b6c2f1' } }];
  return z
    .strictObject({ ...z.object(given).partial().shape, ...z.object(shown).partial().shape })
    .meta({ description, examples });
}

const EVENT_FILTER = 'EventFilter';
const operators = Object.entries(FILTER_OPS)
  .map(([op, meaning]) => `${op}: ${meaning}`)
  .join(' ');
const filterRef = { $ref: `#/components/schemas/${EVENT_FILTER}` };
const filterList = { type: 'array', minItems: 1, maxItems: CONDITIONS_MAX, items: filterRef };

const filterSchema = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: {
    all: { ...filterList, description: 'Matches when all of these match.' },
    any: { ...filterList, description: 'Matches when one of these matches.' },
    not: { ...filterRef, description: 'Matches when this one does not match.' },
    element: {
      type: 'object',
      description: 'Matches when one element of a list meets a filter by itself.',
      required: ['path', 'match'],
      additionalProperties: false,
      properties: {
        path: { type: 'string', maxLength: PATH_CHARS_MAX, description: 'The path of the list, such as lines.' },
        match: { ...filterRef, description: 'Paths in it begin at the element.' },
      },
    },
    field: {
      type: 'object',
      description: 'Matches when this field of the payload meets the condition.',
      required: ['path', 'op'],
      additionalProperties: false,
      properties: {
        path: {
          type: 'string',
          maxLength: PATH_CHARS_MAX,
          description: `At most ${PATH_NAMES_MAX} names with dots between them, such as total.amount; odd ones stand in double quotes. @type is the name of the event.`,
        },
        op: {
          type: 'string',
          enum: Object.keys(FILTER_OPS),
          description: `How the field is compared. ${operators} Where a list is on the path, one of its elements is enough; for NE, NOT_IN and MISSING none may equal, or be there. Dates are texts.`,
        },
        value: {
          description: `A text of at most ${FILTER_TEXT_CHARS_MAX} characters, a number, a boolean or null. For IN and NOT_IN a list of 1 to ${FILTER_LIST_MAX} values of one type. All operators need it but EXISTS and MISSING, which take none. Another type than the value's never matches, also within \`not\`.`,
        },
      },
    },
  },
  examples: [{ all: [{ field: { path: 'status', op: 'EQ', value: 'paid' } }] }],
} as const;

/** A component of the OpenAPI document, to which its parts refer. The resolvers make of it what is stored. */
export const eventFilter = filter().meta({
  ...filterSchema,
  id: EVENT_FILTER,
  description: 'Conditions on the payload of an event: exactly one of these.',
});

/** The same where it may be null, which a reference cannot say in a form that generators of Go understand. */
export const filterForm = (description: string): z.ZodType => filter().meta({ ...filterSchema, description });

const codes = Object.entries(WARNING_CODES).map(([code, meaning]) => `${code} (${meaning})`);

/** A component of the OpenAPI document. */
export const warningForm = z
  .object({
    code: z.string().meta({
      description: `The kind, for programs: ${codes.join(', ')}. There may be more in the future.`,
      examples: ['path_not_in_schema'],
    }),
    message: z.string().meta({
      description: 'A sentence for people.',
      examples: ['No subscribed event type has total.amount in its schema.'],
    }),
    path: z.string().meta({
      description: 'The path in payloads that it is about, `@type`, or the name of a header.',
      examples: ['total.amount'],
    }),
    event: z.string().nullable().meta({
      description: 'The event whose schema it is about; null: all that the webhook gets.',
    }),
    types: z.array(z.string()).nullable().meta({
      description: 'The types that the schemas have at the path, such as number; null where they have none.',
    }),
  })
  .meta({
    id: 'OptionWarning',
    description:
      'A possible mistake in an option, most by the schemas of the events. It is no error, since schemas grow.',
  });

const warningSelection = Object.keys(warningForm.shape)
  .map((name) => `${name}: ${graphqlName(name)}`)
  .join(' ');

/** The fields of GraphQL's input for a field of REST. */
export function inputsOf(field: Field | Group | undefined, [name, value]: [string, unknown]): [string, unknown][] {
  if (field?.kind === 'headers') {
    return headersChange(name, value as object);
  }
  if (field?.kind !== 'auth' || value === null || value === undefined) {
    return [[name, value]];
  }
  const { basic, bearer, api_key: apiKey } = value as Record<string, unknown>;
  return [[name, { basic, bearer, apiKey }]];
}

/** Headers by their names as a list: one that is null is removed, one without `value` stays as it is. */
function headersChange(name: string, patch: object): [name: string, value: unknown][] {
  const headers = Object.entries(patch as Record<string, { value?: string } | null>);
  const [set, remove] = inputNames(name, { kind: 'headers' }) as [string, string];
  return [
    [set, headers.flatMap(([key, header]) => (header?.value === undefined ? [] : [{ name: key, ...header }]))],
    [remove, headers.flatMap(([key, header]) => (header === null ? [key] : []))],
  ];
}

/** A header stands under its name. */
export function headerPlace([index, ...rest]: Path, headers: unknown): Path {
  const header = typeof index === 'number' ? (headers as ShownHeader[] | undefined)?.[index] : undefined;
  return header === undefined ? [] : [header.name, ...rest.filter((step) => step !== 'name')];
}

/** The fields of GraphQL that REST's options have, under the names of REST. */
export const optionSelection = (
  fields: Fields,
  isIncluded = ({ optionsRow }: Field | Group) => optionsRow === true,
): string =>
  Object.entries(fields)
    .filter(([, field]) => field.rest !== undefined && isIncluded(field))
    .map(([name, field]) => `${restName(shownName(name, field))}: ${shownName(name, field)}${membersOf(field)}`)
    .join(' ');

const shownName = (name: string, field: Field | Group) =>
  field.kind !== 'group' && field.secret ? setName(name) : name;

function membersOf(field: Field | Group): string {
  if (field.kind === 'group') {
    const more = `${field.option === undefined ? '' : ' own'}${field.warns ? ` warnings { ${warningSelection} }` : ''}`;
    return ` { ${optionSelection(field.fields as Fields, () => true)}${more} }`;
  }
  return field.kind === 'headers' ? ' { name value secret }' : field.kind === 'auth' ? ' { kind username header }' : '';
}

/** The answer of GraphQL in the form of REST: headers by their names, and names of fields as REST has them. */
export function optionsInRest(fields: Fields, node: object): Record<string, unknown> {
  const formed = ([inRest, value]: [string, unknown]) => {
    const field = fields[graphqlName(inRest)];
    if (field?.kind === 'group') {
      return [inRest, optionsInRest(field.fields as Fields, value as object)];
    }
    if (field?.kind === 'headers') {
      const headers = (value as ShownHeader[]).map((one) => [one.name, headerInRest(one)]);
      return [inRest, Object.fromEntries(headers)];
    }
    const isOwn = inRest === 'own' && field === undefined;
    return [inRest, isOwn ? (value as string[]).map((name) => name.toLowerCase()) : value];
  };
  return Object.fromEntries(Object.entries(node).map((one) => formed(one)));
}

const headerInRest = ({ value, secret }: ShownHeader) => (value === null ? { secret } : { value, secret });
