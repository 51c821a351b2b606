import { z } from 'zod';
import { URL_LENGTH_MAX } from '../domain/addresses/target.js';
import { decodeCursor, PAGE_MAX } from '../graphql/fields/connection.js';
import { EVENT_TYPES_MAX } from '../graphql/fields/input.js';

/**
 * The requests and answers of the REST interface: routes read requests with these schemas, and the OpenAPI document
 * is made from them. They judge the form; what a value means (which event types exist, which urls may be called) the
 * resolvers judge.
 */

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
  .array(z.string())
  .min(1, 'must name at least one event, or be ["*"]')
  .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
  .meta({
    uniqueItems: true,
    description: `1 to ${EVENT_TYPES_MAX} different names of events, or exactly ["*"] for all events, including events added later.`,
    examples: [['booking.created', 'booking.canceled'], ['*']],
  });

const time = z.string().meta({ format: 'date-time', examples: ['2026-01-31T09:30:00+00:00'] });
const id = z.int().min(1);

export const newWebhook = z.strictObject({ url, events }).meta({
  id: 'NewWebhook',
  examples: [{ url: 'https://example.com/hooks', events: ['booking.created', 'booking.canceled'] }],
});

export const webhookChange = z
  .strictObject({
    active: z.boolean().optional().meta({
      description:
        'true enables the webhook, sets its failures to 0 and sends what was held (retries at their time); false pauses it. The value that it has changes nothing.',
    }),
    url: url.optional(),
    events: events.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    message: 'must have at least one of active, url and events',
    params: { code: 'nothing_to_change' },
  })
  .meta({ id: 'WebhookChange', minProperties: 1, examples: [{ active: true }, { events: ['*'] }] });

const webhookFields = {
  id: id.meta({ description: 'Identifier of the webhook, used in paths.', examples: [42] }),
  url,
  events,
  active: z.boolean().meta({ description: 'true while deliveries are sent.' }),
  consecutive_failures: z
    .int()
    .min(0)
    .meta({ description: 'Failed attempts in a row, across deliveries. At 10 the webhook is disabled.' }),
  last_success_at: time.nullable().meta({ description: 'null until a delivery has succeeded.' }),
  last_failure_at: time.nullable().meta({ description: 'null until a delivery has failed.' }),
  disabled_at: time.nullable().meta({ description: 'null while the webhook is active.' }),
  created_at: time,
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
export const webhook = z.strictObject(webhookFields).meta({ id: 'Webhook', examples: [webhookExample] });

export const createdWebhook = z
  .strictObject({
    ...webhookFields,
    secret: z
      .string()
      .meta({ description: 'The signing secret. This answer is the only one that ever contains it.' }),
  })
  .meta({
    id: 'CreatedWebhook',
    examples: [{ ...webhookExample, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazXvDt5xb5yV' }],
  });

export const testDelivery = z
  .strictObject({
    id: id.meta({
      description:
        'The value of the request’s header for the delivery: `X-Service-Delivery`, unless the service is set otherwise.',
    }),
    event: z.literal('webhook.test'),
    webhook_id: id,
    status: z.string().meta({ description: 'Where the delivery stands, at first PENDING.' }),
    created_at: time,
  })
  .meta({
    id: 'TestDelivery',
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

export const webhookPage = z
  .strictObject({
    data: z.array(webhook),
    meta: z.strictObject({
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'For the parameter cursor; null on the last page.' }),
    }),
  })
  .meta({ id: 'WebhookPage', examples: [{ data: [webhookExample], meta: { next_cursor: null } }] });

export const problemExample = {
  type: '/problems/invalid-input',
  title: 'The input breaks a rule',
  status: 422,
  detail: '/url: is required',
  code: 'invalid_input',
  errors: [{ pointer: '/url', code: 'required', detail: 'is required' }],
};

export const problem = z
  .strictObject({
    type: z
      .string()
      .meta({ format: 'uri-reference', description: 'The kind of error; it leads to an explanation.' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'What is wrong with this request, as a sentence.' }),
    code: z.string().meta({ description: 'The kind of error, for programs.' }),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string().optional().meta({ description: 'Where in the body (RFC 6901).' }),
          parameter: z.string().optional().meta({ description: 'Or which query parameter.' }),
          code: z.string(),
          detail: z.string(),
        }),
      )
      .optional()
      .meta({
        description:
          'With status 422: what is wrong with the form; once that is right, every rule that the values break; 100 at most.',
      }),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457',
    examples: [problemExample],
  });

/** `limit` is read as text: a number from a query would be coerced from '1e1', '' and ' 7' too. */
export const listQuery = z.strictObject({
  limit: z
    .string()
    .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_MAX, {
      message: `must be a whole number from 1 to ${PAGE_MAX}`,
      params: { code: 'out_of_range' },
    })
    .transform(Number)
    .pipe(z.int().min(1).max(PAGE_MAX))
    .default(PAGE_MAX)
    .meta({ description: 'How many webhooks to answer with.' }),
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
  event: z
    .string()
    .optional()
    .meta({ description: 'Only webhooks that receive this event, those with ["*"] included.' }),
});

export const noQuery = z.strictObject({});
