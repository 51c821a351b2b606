import { Migration } from '@mikro-orm/migrations';
import { emitEventsOnce } from './functions/emit-events-once.js';

const about = { webhook_id: '42', origin: 'https://example.com' };
/** Operational events as the service writes them (docs/interface.md, "Events"): receivers are tried with these. */
const samples = {
  'webhook.disabled': {
    ...about,
    reason: 'FAILURES',
    consecutive_failures: '10',
    disabled_at: '2026-01-31T09:30:00+00:00',
    held_until: '2026-02-07T09:30:00+00:00',
    count: '1',
  },
  'webhook.recovered': {
    ...about,
    disabled_at: '2026-01-31T09:30:00+00:00',
    recovered_at: '2026-01-31T10:15:00+00:00',
    count: '1',
  },
  'delivery.exhausted': {
    ...about,
    delivery_id: '140123456789012',
    event_id: '140123456789013',
    event_type: 'booking.created',
    attempts: '6',
    last_error: 'HTTP_503',
    count: '1',
  },
  'webhook.held_expiring': {
    ...about,
    held_count: '312',
    expires_at: '2026-02-07T09:30:00+00:00',
    count: '1',
  },
};

/** An event says itself that it is meant for one webhook alone: a test may be of any type. */
export class EventsForOneWebhook extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.events add only_webhook_id bigint;
      comment on column hookwright.events.only_webhook_id is
        'the one webhook that gets the event, whatever it subscribes to (a test); null: all that subscribe';
      ${emitEventsOnce}
    `);
    for (const [name, sample] of Object.entries(samples)) {
      this.addSql(`
        update hookwright.event_types set sample_payload = '${JSON.stringify(sample)}' where name = '${name}';
      `);
    }
  }
}
