import { Migration } from '@mikro-orm/migrations';

const blocked = {
  webhook_id: '42',
  origin: 'https://example.com',
  name: 'Booking system',
  key: 'order-7',
  delivery_id: '140123456789012',
  event_id: '140123456789013',
  event_type: 'booking.created',
  last_error: 'HTTP_503',
  waiting: '3',
  blocked_at: '2026-01-31T09:30:00+00:00',
  count: '1',
};

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(Object.keys(blocked).map((field) => [field, { type: 'string' }])),
  required: Object.keys(blocked),
  additionalProperties: false,
};

/** The operational event of a key that stands still after a failure (docs/ordering.md, "Blocked keys"). */
export class BlockedKeys extends Migration {
  override up(): void {
    this.addSql(`
      insert into hookwright.event_types (name, description, schema, reserved, text_fields, sample_payload)
      values ('webhook.key_blocked',
              'When another webhook of the tenant stops sending a key, because a delivery of it has failed for good.',
              '${JSON.stringify(schema)}', true, null, '${JSON.stringify(blocked)}');
    `);
  }
}
