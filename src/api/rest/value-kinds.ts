import { z } from 'zod';
import { PATH_CHARS_MAX } from '../../domain/content/filter-path.js';
import { EVENT_TYPE_NAME, EVENT_TYPE_NAME_LENGTH_MAX, WILDCARD } from '../../domain/events/event-type.js';
import type { Kind, OfKind } from '../../domain/fields/field.js';
import { EVENT_TYPES_MAX, URL_LENGTH_MAX } from '../../domain/fields/webhook-fields.js';
import { EXTERNAL_ID } from '../../domain/ids/external-id.js';
import { parseTimestamp } from '../../domain/text/timestamp.js';
import { amount, delay } from '../../operations/fields/number-rules.js';
import { authKind } from './auth-forms.js';
import { headersKind } from './header-forms.js';
import { filterForm } from './option-forms.js';
import { type RestKind, valueKind } from './rest-kind.js';
import { tlsKind } from './tls-forms.js';

/** A component of the OpenAPI document. */
export const subscribedEvent = z.string().meta({
  id: 'SubscribedEvent',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: `^\\${WILDCARD}$|${EVENT_TYPE_NAME.source}`,
  description: `The name of an event, or "${WILDCARD}" for all events. More names can be registered at any time.`,
  examples: ['booking.created', WILDCARD],
});

export const time = z.string().meta({ format: 'date-time', examples: ['2026-01-31T09:30:00+00:00'] });

/** A time in a request: GraphQL would refuse another text without its place. */
export const givenTime = time.refine((text) => parseTimestamp(text) !== null, {
  message: 'must be a date-time of ISO 8601 with seconds and an offset, such as 2026-01-31T09:30:00+00:00',
  params: { code: 'invalid_format' },
});

const WHOLE = { type: 'integer', format: 'int32' };

const texts = valueKind<OfKind<'text' | 'message' | 'shape'>>(({ charsMax, identifies }, description) => {
  const rule = identifies ? { minLength: 1, pattern: EXTERNAL_ID.source, examples: ['crm-invoices'] } : {};
  return z.string().meta({ maxLength: charsMax, ...rule, description });
});

/** The forms of values. Numbers are judged here too: GraphQL has none above 32 bits. */
export const valueKinds: { [One in Exclude<Kind, 'group'>]: RestKind<OfKind<One>> } = {
  text: texts,
  url: valueKind((_, description) =>
    z
      .string()
      .refine((text) => text.length <= URL_LENGTH_MAX, {
        message: `must have at most ${URL_LENGTH_MAX} characters`,
        params: { code: 'url_too_long' },
      })
      .meta({ format: 'uri', maxLength: URL_LENGTH_MAX, description, examples: ['https://example.com/hooks'] }),
  ),
  eventTypes: valueKind((_, description) =>
    z
      .array(subscribedEvent)
      .min(1, 'must name at least one event, or be ["*"]')
      .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
      .meta({ uniqueItems: true, description, examples: [['booking.created', 'booking.canceled'], ['*']] }),
  ),
  textMap: {
    ...valueKind<OfKind<'textMap'>>((field, description, requested) =>
      z.record(z.string(), z.unknown()).meta({
        maxProperties: field.countMax,
        additionalProperties: { type: requested ? ['string', 'null'] : 'string', maxLength: field.valueCharsMax },
        description,
        examples: [{ team: 'payments' }],
      }),
    ),
    merged: (stored, patch) => {
      const values = { ...(stored as object | null), ...(patch as object) };
      return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    },
  },
  number: valueKind<OfKind<'number'>>((field, description, requested) =>
    (requested ? amount(field) : z.number()).meta({
      ...(field.whole ? WHOLE : {}),
      minimum: field.min,
      maximum: field.max,
      description,
    }),
  ),
  delays: valueKind<OfKind<'delays'>>((field, description, requested) =>
    z
      .array(requested ? delay(field).meta({ ...WHOLE, minimum: 1, maximum: field.secondsMax }) : z.number())
      .meta({ ...(requested ? { maxItems: field.countMax } : {}), description, examples: [[5, 60, 600]] }),
  ),
  choice: valueKind<OfKind<'choice'>>(({ values }, description) => z.enum(Object.keys(values)).meta({ description })),
  boolean: valueKind((_, description) => z.boolean().meta({ description })),
  headers: headersKind,
  auth: authKind,
  tls: tlsKind,
  message: texts,
  shape: texts,
  template: valueKind((_, description) =>
    z.unknown().meta({ description, examples: [{ summary: 'Booking {{booking_code}}' }] }),
  ),
  path: valueKind((_, description) =>
    z.string().meta({ maxLength: PATH_CHARS_MAX, description, examples: ['order.id'] }),
  ),
  filter: valueKind((_, description, requested) =>
    requested ? filterForm(description) : z.record(z.string(), z.unknown()).meta({ description }),
  ),
};
