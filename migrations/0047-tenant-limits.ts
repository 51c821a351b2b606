import { Migration } from '@mikro-orm/migrations';

/** The limits of a tenant (docs/decisions/0092). Null: the installation's. */
export class TenantLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.tenants
        add column events_per_second integer,
        add column requests_per_second integer,
        add column requests_at_once integer,
        add column endpoints_max integer,
        add column body_bytes_max integer,
        add column limits_reason text,
        add column limited_since timestamptz,
        add column limited_by bigint;                     -- the platform key that has set them
      -- Daemons read all tenants whose requests are limited, every two seconds.
      create index tenants_requests_limited on hookwright.tenants (id)
        where requests_per_second is not null or requests_at_once is not null;
      -- The doctor counts the limited ones.
      create index tenants_limited on hookwright.tenants (id) where limited_since is not null;
      grant update (events_per_second, requests_per_second, requests_at_once, endpoints_max, body_bytes_max,
                    limits_reason, limited_since, limited_by)
        on hookwright.tenants to hookwright_api;
    `);
  }
}
