import { Migration } from '@mikro-orm/migrations';

const ending = {
  webhook_id: '42',
  origin: 'https://example.com',
  name: 'Booking system',
  certificate: 'CLIENT',
  ends_at: '2026-01-31T09:30:00+00:00',
  count: '1',
};

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(Object.keys(ending).map((field) => [field, { type: 'string' }])),
  required: Object.keys(ending),
  additionalProperties: false,
};

/** The warning before a certificate of a webhook ends (docs/notices.md). */
export class CertificateNotices extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options add column certificate_warned_at timestamptz;
      insert into hookwright.event_types (name, description, schema, reserved, text_fields, sample_payload)
      values ('webhook.certificate_ending',
              'When a certificate of another webhook of the tenant ends within 14 days, and again within 3.',
              '${JSON.stringify(schema)}', true, null, '${JSON.stringify(ending)}');
    `);
  }
}
