import { z } from 'zod';
import { EVENT_TYPE_NAME, EVENT_TYPE_NAME_LENGTH_MAX, WILDCARD } from '../../domain/events/event-type.js';
import type { Field, Fields, ValuesOf } from '../../domain/fields/field.js';
import { EVENT_TYPES_MAX, URL_LENGTH_MAX } from '../../domain/fields/webhook-fields.js';
import { type RestName, restName } from './names.js';

/** A component of the OpenAPI document. */
export const subscribedEvent = z.string().meta({
  id: 'SubscribedEvent',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: `^\\${WILDCARD}$|${EVENT_TYPE_NAME.source}`,
  description: `The name of an event, or "${WILDCARD}" for all events. More names can be registered at any time.`,
  examples: ['booking.created', WILDCARD],
});

function formOf(field: Field): z.ZodType {
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
  }
}

type Forms<Table extends Fields> = {
  [Name in keyof Table as Table[Name] extends { rest: string } ? RestName<Name> : never]: z.ZodType<
    ValuesOf<Table>[Name]
  >;
};

/** The fields that REST shows, under its names: as requests have them, and as answers have them. */
export function formsOf<Table extends Fields>(fields: Table): [requested: Forms<Table>, answered: Forms<Table>] {
  const shown = Object.entries(fields).filter(([, { rest }]) => rest !== undefined);
  const forms = (of: (field: Field) => z.ZodType) =>
    Object.fromEntries(shown.map(([name, field]) => [restName(name), of(field)])) as Forms<Table>;
  return [
    forms((field) => (field.optional ? formOf(field).nullish() : formOf(field))),
    forms((field) => (field.optional ? formOf(field).nullable() : formOf(field))),
  ];
}
