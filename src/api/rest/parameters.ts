import { z } from 'zod';
import { NAMED_TENANT } from '../../domain/ids/external-id.js';
import { decodeCursor, PAGE_MAX } from '../graphql/fields/connection.js';
import { eventName, webhookId } from './schemas.js';

/** The path and header parameters. The routes read them as texts. */
export const parameters = {
  WebhookId: { name: 'id', in: 'path', required: true, schema: webhookId },
  EventId: {
    name: 'id',
    in: 'path',
    required: true,
    schema: z.string().meta({
      pattern: '^((ev|se)_)?[1-9][0-9]*$',
      description:
        'The id of an event, or of a scheduled event, as GraphQL has it. A number alone is that of an event.',
      examples: ['ev_140123456789012', 'se_7'],
    }),
  },
  Tenant: {
    name: 'Hookwright-Tenant',
    in: 'header',
    required: false,
    schema: z.string().meta({
      pattern: NAMED_TENANT.source,
      description: 'The id of the tenant to act for, or `ext:` and its external id. Platform keys need it.',
      examples: ['7', 'ext:acme_42'],
    }),
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: z.string().meta({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      description:
        'For 24 hours the same API key gets the webhook that this key has created, as it is then, and its secret, instead of another webhook: a request without an answer can be sent again. With another body the answer is 409 `idempotency_key_reused`; if the webhook was deleted or its secret rotated meanwhile, it is 409 `webhook_deleted` or `secret_rotated`. A refused request uses no key.',
      examples: ['2f8e9b0a-6c11-4b52-9c1d-5d6f1c0e7a43'],
    }),
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    schema: z.string().meta({
      description:
        'The change is made only if the ETag of the webhook is in this list, or the webhook exists (`*`). Otherwise the answer is 412, and nothing is changed. A value that is neither `*` nor a list of entity tags is refused with 400 `header_malformed`.',
      examples: ['"3"'],
    }),
  },
} as const;

/** `limit` is read as text: coercion to a number would also accept '1e1', '' and ' 7'. */
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
    external_id: z
      .string()
      .optional()
      .meta({ description: 'Only the webhook with exactly this external id.', examples: ['crm-invoices'] }),
    search: z.string().optional().meta({
      description: 'Only webhooks whose name, description, external id or URL contains this text, ignoring case.',
    }),
    metadata: z
      .record(z.string(), z.string())
      .refine((map) => Object.keys(map).length === 1, { message: 'must have one key, such as metadata[team]=payments' })
      .optional()
      .meta({ description: 'Only webhooks whose metadata has this text under this key: `metadata[team]=payments`.' }),
  })
  .meta({ id: 'ListQuery' });

export const noQuery = z.strictObject({});
