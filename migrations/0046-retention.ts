import { Migration } from '@mikro-orm/migrations';
import { isolated } from './isolated.js';

/** Payloads that are erased before their day is dropped: those of a tenant, and of one event (docs/decisions/0091). */
export class Retention extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.tenants add column retention_days integer;
      grant update (retention_days) on hookwright.tenants to hookwright_api;
      -- Events of the tenant up to this one are erased.
      create table hookwright.tenant_erasures (
        tenant_id bigint primary key,
        done_to bigint not null
      );
      -- Only events with an end have a row, so that the others pay nothing.
      create table hookwright.event_ends (
        tenant_id bigint not null,
        event_id bigint not null,
        ends_at timestamptz not null,
        primary key (tenant_id, event_id)
      );
      create index event_ends_due on hookwright.event_ends (ends_at);
      alter table hookwright.scheduled_events add column keep_hours integer;
      ${['tenant_erasures', 'event_ends'].map(isolated).join('\n')}
    `);
  }
}
