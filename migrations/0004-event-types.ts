import { Migration } from '@mikro-orm/migrations';

/**
 * The event types of every installation (docs/interface.md, "Events"): every payload field is a required string, and
 * nothing else is allowed.
 */
const eventTypes = [
  {
    name: 'booking.created',
    description: 'After a successful creation (HTTP 201) on the bookings endpoint.',
    fields: ['booking_code', 'local_number', 'brand'],
  },
  {
    name: 'booking.canceled',
    description: 'After a successful DELETE of a booking by code.',
    fields: ['booking_code', 'canceled_at'],
  },
  {
    name: 'voucher.emitted',
    description: 'When the voucher PDF has been generated and e-mailed.',
    fields: ['booking_code', 'voucher_number'],
  },
  {
    name: 'coupon.applied',
    description: 'On each successful coupon validation.',
    fields: ['code', 'discount_type'],
  },
  {
    name: 'webhook.test',
    description: 'On manual dispatch through POST /webhooks/{id}/test.',
    fields: ['message'],
    reserved: true,
  },
];

function schemaOf(fields: string[]): string {
  return JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields,
    additionalProperties: false,
  });
}

export class EventTypes extends Migration {
  override up(): void {
    for (const { name, description, fields, reserved = false } of eventTypes) {
      this.addSql(`
        insert into hookwright.event_types (name, description, schema, reserved)
        values ('${name}', '${description}', '${schemaOf(fields)}', ${reserved});
      `);
    }
  }
}
