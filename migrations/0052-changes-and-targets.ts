import { Migration } from '@mikro-orm/migrations';

/** States before a change, and events for chosen webhooks at addresses of the moment (docs/decisions/0095, 0096). */
export class ChangesAndTargets extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.events
        add column previous text,                         -- the state before the change that it reports: a JSON object
        add column targets bigint[];                      -- the only webhooks that it is for; null: all subscribers
      alter table hookwright.events alter previous set statistics 0, alter targets set statistics 0;
      alter table hookwright.deliveries add column path text;           -- behind the url of the webhook
      alter table hookwright.deliveries alter path set statistics 0;
      alter table hookwright.scheduled_events
        add column previous text,
        add column targets jsonb;                         -- paths by the ids of webhooks
      alter table hookwright.webhook_options
        add column callback boolean,
        add column filter_changes boolean;                -- whether the filter asks what has changed
      alter table hookwright.outbox_limits
        add column previous_allowed boolean not null default true,
        add column keep_hours_max integer;                -- null: no daemon has said it yet
    `);
  }
}
