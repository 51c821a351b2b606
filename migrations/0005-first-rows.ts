import { Migration } from '@mikro-orm/migrations';

interface EventType {
  name: string;
  description: string;
  /** A payload. The schema requires its fields, each a string, and allows no others. */
  sample: Record<string, string>;
}

const texts = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, 'text']));

/** The event types of every installation (docs/interface.md, "Events"), which applications emit. */
const eventTypes: EventType[] = [
  {
    name: 'booking.created',
    description: 'After a successful creation (HTTP 201) on the bookings endpoint.',
    sample: texts('booking_code', 'local_number', 'brand'),
  },
  {
    name: 'booking.canceled',
    description: 'After a successful DELETE of a booking by code.',
    sample: texts('booking_code', 'canceled_at'),
  },
  {
    name: 'voucher.emitted',
    description: 'When the voucher PDF has been generated and e-mailed.',
    sample: texts('booking_code', 'voucher_number'),
  },
  {
    name: 'coupon.applied',
    description: 'On each successful coupon validation.',
    sample: texts('code', 'discount_type'),
  },
  {
    name: 'webhook.test',
    description: 'On manual dispatch through POST /webhooks/{id}/test.',
    sample: texts('message'),
  },
];

const about = { webhook_id: '42', origin: 'https://example.com' };

/** The service itself emits these about the webhooks of a tenant (docs/decisions/0013). */
const operationalEventTypes: EventType[] = [
  {
    name: 'webhook.disabled',
    description:
      'When another webhook of the tenant was disabled, by failures in a row (FAILURES) or by a 410 (GONE). ' +
      'A pause is no such case.',
    sample: {
      ...about,
      reason: 'FAILURES',
      consecutive_failures: '10',
      disabled_at: '2026-01-31T09:30:00+00:00',
      held_until: '2026-02-07T09:30:00+00:00',
      count: '1',
    },
  },
  {
    name: 'webhook.recovered',
    description: 'When another webhook of the tenant, disabled by failures and enabled again, has its first success.',
    sample: {
      ...about,
      disabled_at: '2026-01-31T09:30:00+00:00',
      recovered_at: '2026-01-31T10:15:00+00:00',
      count: '1',
    },
  },
  {
    name: 'delivery.exhausted',
    description: 'When a delivery to another webhook of the tenant has failed for good: retries used up, or a 410.',
    sample: {
      ...about,
      delivery_id: '140123456789012',
      event_id: '140123456789013',
      event_type: 'booking.created',
      attempts: '6',
      last_error: 'HTTP_503',
      count: '1',
    },
  },
  {
    name: 'webhook.held_expiring',
    description:
      'Before deliveries that another webhook of the tenant holds are canceled: 24 hours, or half of a hold ' +
      'below 48 hours.',
    sample: { ...about, held_count: '312', expires_at: '2026-02-07T09:30:00+00:00', count: '1' },
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

/** The partitions of the first two weeks, and the rows that every installation has. */
export class FirstRows extends Migration {
  override up(): void {
    this.addSql('select hookwright.make_partitions(14);');
    for (const { name, description, sample } of [...eventTypes, ...operationalEventTypes]) {
      const fields = Object.keys(sample);
      // SQL checks the payloads that applications emit.
      const textFields = operationalEventTypes.some((type) => type.name === name) ? 'null' : `'{${fields.join()}}'`;
      this.addSql(`
        insert into hookwright.event_types (name, description, schema, reserved, text_fields, sample_payload)
        values ('${name}', '${description}', '${schemaOf(fields)}', ${reserved.includes(name)}, ${textFields},
                '${JSON.stringify(sample)}');
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
