import { z } from 'zod';
import { URL_LENGTH_MAX } from '../domain/addresses/target.js';
import { EVENT_TYPE_NAME, EVENT_TYPE_NAME_LENGTH_MAX, WILDCARD } from '../domain/event-type.js';
import { DeliveryStatus } from '../entities/delivery.js';
import { decodeCursor, PAGE_MAX } from '../graphql/fields/connection.js';
import { EVENT_TYPES_MAX } from '../graphql/fields/input.js';

/**
 * The requests and answers of the REST interface: routes read requests with these schemas, and the OpenAPI document
 * is made from them. They judge the form; what a value means (which event types exist, which urls may be called) the
 * resolvers judge. Requests are strict objects; answers are not, since later versions may add fields to them.
 *
 * Each `id` is the name of a component, and of a type in generated clients. No name may be `New` and another name:
 * generated Go has a constructor `NewWebhook` for the type `Webhook` (test/api/rest-openapi-clients.test.ts).
 */

/** The document adds the names that the installation has. */
export const eventName = z.string().meta({
  id: 'EventName',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: EVENT_TYPE_NAME.source,
  description: 'The name of an event. More can be registered at any time.',
  examples: ['booking.created'],
});

/** The document adds the names and "*". */
const subscribedEvent = z.string().meta({
  id: 'SubscribedEvent',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: `^\\${WILDCARD}$|${EVENT_TYPE_NAME.source}`,
  description: `The name of an event, or "${WILDCARD}" for all events. More names can be registered at any time.`,
  examples: ['booking.created', WILDCARD],
});

const url = z
  .string()
  .refine((text) => text.length <= URL_LENGTH_MAX, {
    message: `must have at most ${URL_LENGTH_MAX} characters`,
    params: { code: 'url_too_long' },
  })
  .meta({
    format: 'uri',
    maxLength: URL_LENGTH_MAX,
    description: `The address that receives deliveries: an absolute https URL of at most ${URL_LENGTH_MAX} characters, without userinfo and fragment, whose host is public. Its port is 443, 80, or one from 1024 on which no database or other internal service is usual. It is kept in its normal form: https://example.com becomes https://example.com/.`,
    examples: ['https://example.com/hooks'],
  });

const events = z
  .array(subscribedEvent)
  .min(1, 'must name at least one event, or be ["*"]')
  .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
  .meta({
    uniqueItems: true,
    description: `1 to ${EVENT_TYPES_MAX} different names of events, or exactly ["*"] for all events, including events added later.`,
    examples: [['booking.created', 'booking.canceled'], ['*']],
  });

const time = z.string().meta({ format: 'date-time', examples: ['2026-01-31T09:30:00+00:00'] });
/** `z.int` has the bounds of integers that JavaScript keeps exact, ±(2^53 - 1): the service answers with no others. */
const integer = z.int().meta({ format: 'int64' });

const id = integer.min(1);
const webhookId = id.meta({ description: 'The id of a webhook.', examples: [42] });

export const webhookInput = z.strictObject({ url, events }).meta({
  id: 'WebhookInput',
  description: 'A webhook to create.',
  examples: [{ url: 'https://example.com/hooks', events: ['booking.created', 'booking.canceled'] }],
});

export const webhookChange = z
  .strictObject({
    active: z.boolean().optional().meta({
      description:
        'true enables the webhook, sets its failures to 0 and sends what was held (retries at their time); false pauses it. Setting the current value has no effect.',
    }),
    url: url.optional(),
    events: events.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    message: 'must have at least one of active, url and events',
    params: { code: 'nothing_to_change' },
  })
  .meta({
    id: 'WebhookChange',
    minProperties: 1,
    description: 'The fields to change, at least one. Fields that are left out stay as they are.',
    examples: [{ active: true }, { events: ['*'] }],
  });

const webhookFields = {
  id: webhookId.meta({ description: 'Identifies the webhook; used in paths.' }),
  url,
  events,
  active: z.boolean().meta({ description: 'true while deliveries are sent.' }),
  consecutive_failures: integer.min(0).meta({
    description: 'Failed attempts in a row, across deliveries. At 10 the webhook is disabled.',
  }),
  last_success_at: time.nullable().meta({ description: 'null until a delivery has succeeded.' }),
  last_failure_at: time.nullable().meta({ description: 'null until a delivery has failed.' }),
  disabled_at: time.nullable().meta({ description: 'null while the webhook is active.' }),
  created_at: time.meta({ description: 'When the webhook was created.' }),
};

const webhookExample = {
  id: 42,
  url: 'https://example.com/hooks',
  events: ['booking.created', 'booking.canceled'],
  active: true,
  consecutive_failures: 0,
  last_success_at: null,
  last_failure_at: null,
  disabled_at: null,
  created_at: '2026-01-31T09:30:00+00:00',
};

/** In the order of docs/interface.md, "A webhook". */
export const webhook = z.object(webhookFields).meta({
  id: 'Webhook',
  description: 'A subscription: which events are delivered to which URL.',
  examples: [webhookExample],
});

export const webhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z.string().meta({
      description: 'The signing secret. This answer is the only one that ever contains it.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazXvDt5xb5yV'],
    }),
  })
  .meta({
    id: 'WebhookWithSecret',
    description: 'A created webhook with its signing secret.',
    examples: [{ ...webhookExample, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazXvDt5xb5yV' }],
  });

const testDelivery = z
  .object({
    id: id.meta({
      description:
        'The value of the request’s header for the delivery: `X-Service-Delivery`, unless the service is set otherwise.',
    }),
    event: z.enum(['webhook.test']).meta({ description: 'Always webhook.test.' }),
    webhook_id: webhookId.meta({ description: 'The webhook that is tested.' }),
    status: z.string().meta({
      pattern: '^[A-Z_]+$',
      description: 'The state of the delivery, at first PENDING. Later versions may add states.',
      examples: Object.values(DeliveryStatus),
    }),
    created_at: time.meta({ description: 'When the delivery was created.' }),
  })
  .meta({
    id: 'TestDelivery',
    description: 'A delivery of webhook.test.',
    examples: [
      {
        id: 140123456789012,
        event: 'webhook.test',
        webhook_id: 42,
        status: 'PENDING',
        created_at: '2026-01-31T09:30:00+00:00',
      },
    ],
  });

const pageMeta = z
  .object({
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'The parameter cursor of the next page; null on the last page.' }),
  })
  .meta({ id: 'PageMeta', description: 'How to go on.' });

const webhookPage = z
  .object({ data: z.array(webhook).meta({ description: 'The webhooks, newest first.' }), meta: pageMeta })
  .meta({
    id: 'WebhookPage',
    description: 'A page of the list of webhooks.',
    examples: [{ data: [webhookExample], meta: { next_cursor: null } }],
  });

const resultOf = <Data extends z.ZodType>(id: string, data: Data) =>
  z.object({ data }).meta({ id, description: 'The answer with the single key `data`.' });

/** The schemas of bodies, and what they have in common; the order is that of the document. */
export const components = {
  webhookInput,
  webhookChange,
  webhook,
  webhookWithSecret,
  webhookResult: resultOf('WebhookResult', webhook),
  webhookWithSecretResult: resultOf('WebhookWithSecretResult', webhookWithSecret),
  webhookPage,
  pageMeta,
  testDelivery,
  testDeliveryResult: resultOf('TestDeliveryResult', testDelivery),
  eventName,
  subscribedEvent,
};

/** The path and header parameters, which the routes read as texts. */
export const parameters = {
  WebhookId: { name: 'id', in: 'path', required: true, schema: webhookId },
  Tenant: {
    name: 'Hookwright-Tenant',
    in: 'header',
    required: false,
    schema: id.meta({
      description: 'For platform keys, which need it: the id of the tenant to act for.',
      examples: [7],
    }),
  },
} as const;

/** `limit` is read as text: a number from a query would be coerced from '1e1', '' and ' 7' too. */
export const listQuery = z
  .strictObject({
    limit: z
      .string()
      .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_MAX, {
        message: `must be a whole number from 1 to ${PAGE_MAX}`,
        params: { code: 'out_of_range' },
      })
      .transform(Number)
      .pipe(z.int().min(1).max(PAGE_MAX))
      .default(PAGE_MAX)
      .meta({ format: 'int32', description: 'The number of webhooks on a page.' }),
    cursor: z
      .string()
      .refine((text) => decodeCursor('webhooks', text) !== undefined, {
        message: 'is not a cursor of this list',
        params: { code: 'invalid_cursor' },
      })
      .optional()
      .meta({ description: 'The next_cursor of the page before.', examples: ['d2ViaG9va3M6NDI'] }),
    active: z
      .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
      .optional()
      .meta({ description: 'Only active webhooks, or only inactive ones.' }),
    event: eventName
      .optional()
      .meta({ description: 'Only webhooks that receive this event, those with ["*"] included.' }),
  })
  .meta({ id: 'ListQuery' });

export const noQuery = z.strictObject({});
