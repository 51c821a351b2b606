import { BUILT_IN_EVENT_TYPES } from '../../domain/events/event-type.js';
import { pointerOf } from '../../domain/schema-rules/json-pointer.js';
import { type JsonObject, mapSchemas } from '../../domain/schema-rules/subschemas.js';
import type { RegisteredEventType } from '../../operations/event-types/event-type-registry.js';
import type { Config } from '../../platform/settings/config.js';

type Json = Record<string, unknown>;

const MEDIA_TYPE = 'application/json';

type DeliverySettings = Pick<Config['delivery'], 'headerPrefix' | 'standardWebhooks' | 'attemptTimeoutMs'>;

/**
 * The section `webhooks` of the OpenAPI document: the request that a subscriber receives, for each event
 * (docs/interface.md, "Deliveries" and "Events").
 */
export function deliveryRequests(delivery: DeliverySettings, eventTypes: readonly RegisteredEventType[]): Json {
  const ids = operationIds(eventTypes);
  return Object.fromEntries(
    eventTypes.map((type) => [type.name, { post: { operationId: ids.get(type), ...deliveryRequest(delivery, type) } }]),
  );
}

/**
 * `booking.created` gives `receiveBookingCreated`. Where names differ only in their separators, such as `order.paid_v2`
 * and `order_paid.v2`, the type that was registered first keeps the plain id.
 */
function operationIds(eventTypes: readonly RegisteredEventType[]): Map<RegisteredEventType, string> {
  const uses = new Map<string, number>();
  const inOrder = eventTypes.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return new Map(
    inOrder.map((type) => {
      const words = type.name.split(/[._]+/);
      const id = `receive${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
      const use = (uses.get(id) ?? 0) + 1;
      uses.set(id, use);
      return [type, use === 1 ? id : `${id}_${use}`];
    }),
  );
}

function deliveryRequest(
  { headerPrefix, standardWebhooks, attemptTimeoutMs }: DeliverySettings,
  type: RegisteredEventType,
): Json {
  const { name, description, deprecatedAt } = type;
  return {
    summary: `Receive ${name}`,
    tags: ['Deliveries'],
    description: `${description} Delivery is at least once: deduplicate on ${headerPrefix}-Delivery.`,
    ...(deprecatedAt === null ? {} : { deprecated: true }),
    // A delivery is authenticated by the signatures in its headers, not by an API key.
    security: [],
    parameters: [...contractHeaders(headerPrefix, name), ...(standardWebhooks ? standardHeaders() : [])],
    requestBody: {
      required: true,
      description: 'The payload of the event, without an envelope. The signatures cover these exact bytes.',
      content: { [MEDIA_TYPE]: { schema: payloadSchema(type), ...exampleOf(type) } },
    },
    responses: {
      '2XX': {
        description: `Received. Any other answer, and none within ${attemptTimeoutMs / 1_000} seconds, is a failure.`,
      },
      410: { description: 'Gone: the delivery fails without retry, and the webhook is disabled.' },
      429: { description: 'Too fast: with Retry-After (seconds or a date) nothing is sent before then.' },
      503: { description: 'Unavailable: with Retry-After (seconds or a date) nothing is sent before then.' },
    },
  };
}

const DIGITS = '^[0-9]+$';
const ID = '140123456789012';
const TIME = '1769851800';

function contractHeaders(prefix: string, eventName: string): Json[] {
  const signature =
    'sha256= and the hex HMAC-SHA256 of the raw body, with the secret as key. Compare in constant time.';
  const timestamp = 'When this attempt was made, in Unix seconds. Refuse what is more than 300 seconds away.';
  const hex = `sha256=${'0123456789abcdef'.repeat(4)}`;
  return [
    header(`${prefix}-Event`, 'The name of the event.', { enum: [eventName] }, eventName),
    header(`${prefix}-Delivery`, 'Idempotency key: the same id means the same delivery.', { pattern: DIGITS }, ID),
    header(`${prefix}-Signature`, signature, { pattern: '^sha256=[0-9a-f]{64}$' }, hex),
    header(`${prefix}-Timestamp`, timestamp, { pattern: DIGITS }, TIME),
  ];
}

/** The headers of the Standard Webhooks specification (standardwebhooks.com). */
function standardHeaders(): Json[] {
  const signature =
    'v1, and the base64 HMAC-SHA256 of id.timestamp.body. The key is the bytes behind whsec_, or an imported text.';
  const pattern = '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*( v1a,[A-Za-z0-9+/]{86}==)?$';
  return [
    header('webhook-id', 'The id of the delivery.', { pattern: DIGITS }, ID),
    header('webhook-timestamp', 'Unix seconds.', { pattern: DIGITS }, TIME),
    header('webhook-signature', signature, { pattern }, `v1,${'A'.repeat(43)}=`),
  ];
}

function header(name: string, description: string, schema: Json, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string', ...schema }, example };
}

/** In OpenAPI 3.1 references start at the root of the document, which also names the draft of its schemas. */
function payloadSchema({ name, schema }: RegisteredEventType): JsonObject {
  const pointer = pointerOf(['webhooks', name, 'post', 'requestBody', 'content', MEDIA_TYPE, 'schema']);
  return mapSchemas(JSON.parse(schema), ({ $schema: _, ...one }) =>
    typeof one['$ref'] === 'string' ? { ...one, $ref: `#${pointer}${one['$ref'].slice(1)}` } : one,
  );
}

/** The built-in schemas are flat and never change, so their examples are written by hand. */
function exampleOf({ name, reserved, schema, samplePayload }: RegisteredEventType): { example?: Json } {
  if (reserved || BUILT_IN_EVENT_TYPES.includes(name)) {
    const { properties = {} } = JSON.parse(schema) as { properties?: object };
    return {
      example: Object.fromEntries(Object.keys(properties).map((field) => [field, exampleText(field)])),
    };
  }
  return samplePayload === null ? {} : { example: JSON.parse(samplePayload) };
}

const texts: Record<string, string> = {
  booking_code: 'BK-2026-0001',
  local_number: '0042',
  brand: 'Example',
  canceled_at: '2026-01-31T09:30:00+00:00',
  voucher_number: 'V-1234',
  code: 'SUMMER',
  discount_type: 'percent',
  message: 'A test of this webhook.',
  webhook_id: '42',
  origin: 'https://receiver.example.com',
  reason: 'FAILURES',
  consecutive_failures: '10',
  disabled_at: '2026-01-31T09:30:00+00:00',
  held_until: '2026-02-07T09:30:00+00:00',
  recovered_at: '2026-01-31T11:00:00+00:00',
  delivery_id: '140123456789012',
  event_id: '140123456788990',
  event_type: 'coupon.applied',
  attempts: '6',
  last_error: 'HTTP_500',
  held_count: '120',
  expires_at: '2026-02-07T09:30:00+00:00',
  count: '1',
};

function exampleText(field: string): string {
  return texts[field] ?? 'text';
}
