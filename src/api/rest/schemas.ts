import { z } from 'zod';
import { EVENT_TYPE_NAME, EVENT_TYPE_NAME_LENGTH_MAX } from '../../domain/events/event-type.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { mustBe } from '../../domain/text/json-type.js';
import { DeliveryStatus } from '../../entities/delivery.js';
import { broughtAlong } from './brought-along.js';
import { bulkErasure, bulkErasureStarted, erasedEvent, erasure } from './erasure.js';
import { formsOf, ignored } from './field-forms.js';
import { limits } from './limits.js';
import { eventFilter, warningForm } from './option-forms.js';
import { listed, webhookOptions, webhookOptionsChange, webhookOptionsInput } from './option-schemas.js';
import { subscribedEvent, time } from './value-kinds.js';
import { verification } from './verification.js';

/**
 * The requests and answers of the REST interface: routes read requests with these schemas, the documents of GraphQL ask
 * for their fields, and OpenAPI shows them. They judge the form; the resolvers judge values (which event types exist,
 * which urls may be called). Requests are strict objects; answers are not, since later versions may add fields.
 *
 * Each `id` is the name of a component, and of a type in generated clients. No name may be `New` and another name:
 * generated Go has a constructor `NewWebhook` for the type `Webhook` (test/api/rest-openapi.test.ts).
 */

/** The OpenAPI document adds the names of the installation. */
export const eventName = z.string().meta({
  id: 'EventName',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: EVENT_TYPE_NAME.source,
  description: 'The name of an event. More can be registered at any time.',
  examples: ['booking.created'],
});

/** The fields of a webhook that people write, in requests and in answers. */
const [settings, shownSettings] = formsOf(webhookFields);

/** `z.int` has the bounds of integers that JavaScript keeps exact, ±(2^53 - 1): the service answers with no others. */
const integer = z.int().meta({ format: 'int64' });

const id = integer.min(1);
export const webhookId = id.meta({ description: 'The id of a webhook.', examples: [42] });

export const webhookInput = z
  .strictObject({ ...settings, ...broughtAlong, options: webhookOptionsInput.optional() })
  .refine(
    ({ external_id: own, options }) => {
      const other = options?.['external_id'] ?? null;
      return own == null || other === null || own === other;
    },
    { path: ['external_id'], message: 'is another one than that in the options', params: { code: 'contradiction' } },
  )
  .meta({
    id: 'WebhookInput',
    description: 'A webhook to create.',
    examples: [{ url: 'https://example.com/hooks', events: ['booking.created', 'booking.canceled'] }],
  });

/** The fields of a webhook that only answers have. */
const read = {
  id: webhookId.meta({ description: 'Identifies the webhook; used in paths.' }),
  consecutive_failures: integer.min(0).meta({
    description: 'Consecutive failed attempts, across deliveries. At 10 the webhook is disabled.',
  }),
  last_success_at: time.nullable().meta({ description: 'When an attempt last succeeded; null until one has.' }),
  last_failure_at: time.nullable().meta({ description: 'When an attempt last failed; null until one has.' }),
  disabled_at: time.nullable().meta({ description: 'null while the webhook is active.' }),
  created_at: time.meta({ description: 'When the webhook was created.' }),
};

const { id: shownId, ...history } = read;
const answered = {
  id: shownId,
  ...shownSettings,
  active: z.boolean().meta({ description: 'true while deliveries are sent.' }),
  ...history,
};

/** The fields of a change without those that it ignores. */
export const writableIn = <Change extends object>(change: Change): Omit<Change, keyof typeof read> =>
  Object.fromEntries(Object.entries(change).filter(([name]) => !Object.hasOwn(read, name))) as never;

export const webhookChange = z
  .strictObject({
    active: z.boolean().optional().meta({
      description:
        'true enables the webhook, sets its failures to 0 and sends its held deliveries (retries at their time); false pauses it. Setting the current value has no effect.',
    }),
    ...z.object(settings).partial().shape,
    options: webhookOptionsChange.optional(),
    ...ignored(read),
  })
  .refine((change) => Object.keys(writableIn(change)).length > 0, {
    message: `must have at least one of ${listed(['active', ...Object.keys(settings), 'options'])}`,
    params: { code: 'nothing_to_change' },
  })
  .meta({
    id: 'WebhookChange',
    minProperties: 1,
    description: 'The fields to change, at least one. Fields that are left out stay as they are.',
    examples: [{ active: true }, { events: ['*'] }],
  });

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
export const webhook = z.object(answered).meta({
  id: 'Webhook',
  description: 'A subscription: which events are delivered to which URL.',
  examples: [webhookExample],
});

export const webhookWithSecret = z
  .object({
    ...answered,
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

const isJsonObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const webhookTest = z
  .strictObject({
    event: eventName.optional(),
    payload: z
      .unknown()
      .refine((value) => value === null || isJsonObject(value), {
        error: ({ input }) => mustBe(['object'], input),
        params: { code: 'invalid_type' },
      })
      .meta({
        type: ['object', 'null'],
        description:
          'The payload, which must match the schema of the event; by default its sample. Not for `webhook.test` and other events of the service.',
      })
      .optional(),
  })
  .meta({
    id: 'WebhookTest',
    description:
      'The event of a test. It may be deprecated, and the webhook need not subscribe to it. Without `event` the body is ignored.',
    examples: [{ event: 'coupon.applied', payload: { code: 'SUMMER', discount_type: 'fixed' } }],
  });

export const testDelivery = z
  .object({
    id: id.meta({
      description:
        'The value of the request’s header for the delivery: `X-Service-Delivery`, unless the service is set otherwise.',
    }),
    event: eventName,
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
    description: 'The delivery of a test.',
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
  .meta({ id: 'PageMeta', description: 'The way to the next page.' });

const webhookPage = z
  .object({ data: z.array(webhook).meta({ description: 'The webhooks, newest first.' }), meta: pageMeta })
  .meta({
    id: 'WebhookPage',
    description: 'A page of the list of webhooks.',
    examples: [{ data: [webhookExample], meta: { next_cursor: null } }],
  });

const resultOf = <Data extends z.ZodType>(id: string, data: Data) =>
  z.object({ data }).meta({ id, description: 'The answer with the single key `data`.' });

/** The schemas of bodies and their common parts, in the order of the document. */
export const components = {
  webhookInput,
  webhookChange,
  webhook,
  webhookWithSecret,
  webhookResult: resultOf('WebhookResult', webhook),
  webhookWithSecretResult: resultOf('WebhookWithSecretResult', webhookWithSecret),
  webhookOptionsInput,
  webhookOptionsChange,
  webhookOptions,
  eventFilter,
  optionWarning: warningForm,
  webhookOptionsResult: resultOf('WebhookOptionsResult', webhookOptions),
  webhookPage,
  pageMeta,
  webhookTest,
  testDelivery,
  testDeliveryResult: resultOf('TestDeliveryResult', testDelivery),
  limits,
  limitsResult: resultOf('LimitsResult', limits),
  verification,
  verificationResult: resultOf('VerificationResult', verification),
  erasure,
  erasedEvent,
  erasedEventResult: resultOf('ErasedEventResult', erasedEvent),
  bulkErasure,
  bulkErasureStarted,
  bulkErasureStartedResult: resultOf('BulkErasureStartedResult', bulkErasureStarted),
  eventName,
  subscribedEvent,
};
