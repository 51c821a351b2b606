import { z } from 'zod';
import { CONDITIONS_MAX, FILTER_LIST_MAX, FILTER_OPS, FILTER_TEXT_CHARS_MAX } from '../../domain/content/filter.js';
import { PATH_CHARS_MAX, PATH_NAMES_MAX } from '../../domain/content/filter-path.js';
import { WARNING_CODES } from '../../domain/content/option-warnings.js';
import { filter } from '../../operations/fields/tree-rules.js';
import { graphqlName } from './names.js';

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
          description: `At most ${PATH_NAMES_MAX} names with dots between them, such as total.amount; odd ones are in double quotes. @type is the name of the event.`,
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
      description: 'The path in payloads that it is about, `@type`, the name of a header, or a part of `tls`.',
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
      'A possible mistake in an option, most by the schemas of the events. It is not an error, since schemas grow.',
  });

export const warningSelection = Object.keys(warningForm.shape)
  .map((name) => `${name}: ${graphqlName(name)}`)
  .join(' ');
