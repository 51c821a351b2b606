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
  },
];

/** The service itself emits these, about the webhooks of a tenant (docs/decisions/0013). */
const operationalEventTypes = [
  {
    name: 'webhook.disabled',
    description:
      'When another webhook of the tenant was disabled, by failures in a row (FAILURES) or by a 410 (GONE). ' +
      'A pause is no such case.',
    fields: ['webhook_id', 'origin', 'reason', 'consecutive_failures', 'disabled_at', 'held_until', 'count'],
  },
  {
    name: 'webhook.recovered',
    description: 'When another webhook of the tenant, disabled by failures and enabled again, has its first success.',
    fields: ['webhook_id', 'origin', 'disabled_at', 'recovered_at', 'count'],
  },
  {
    name: 'delivery.exhausted',
    description: 'When a delivery to another webhook of the tenant has failed for good: retries used up, or a 410.',
    fields: ['webhook_id', 'origin', 'delivery_id', 'event_id', 'event_type', 'attempts', 'last_error', 'count'],
  },
  {
    name: 'webhook.held_expiring',
    description:
      'Before deliveries that another webhook of the tenant holds are canceled: 24 hours, or half of a hold ' +
      'below 48 hours.',
    fields: ['webhook_id', 'origin', 'held_count', 'expires_at', 'count'],
  },
];

/** Only the service itself emits these. */
const reserved = ['webhook.test', ...operationalEventTypes.map(({ name }) => name)];

const schemaOf = (fields: string[]): string =>
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields,
    additionalProperties: false,
  });

const sampleOf = (fields: string[]): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, 'text'])));

/** The partitions of the first two weeks, and the rows that every installation has. */
export class FirstRows extends Migration {
  override up(): void {
    this.addSql('select hookwright.make_partitions(14);');
    for (const { name, description, fields } of [...eventTypes, ...operationalEventTypes]) {
      this.addSql(`
        insert into hookwright.event_types (name, description, schema, reserved)
        values ('${name}', '${description}', '${schemaOf(fields)}', ${reserved.includes(name)});
      `);
    }
    // Applications may emit these, so SQL judges their payloads. Operational events only the service emits.
    for (const { name, fields } of eventTypes) {
      this.addSql(`
        update hookwright.event_types
        set text_fields = '{${fields.join()}}', sample_payload = '${sampleOf(fields)}' where name = '${name}';
      `);
    }
    this.addSql(`
      insert into hookwright.outbox_limits (payload_bytes_max) values (262144);
      insert into hookwright.housekeeping default values;
      insert into hookwright.stats_progress (minutes_until, hours_until, days_until, minutes_from, hours_from)
      select day, day, day, day, day from (select date_trunc('day', now(), 'UTC') as day) as today;
    `);
  }
}
