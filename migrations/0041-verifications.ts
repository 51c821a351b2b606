import { Migration } from '@mikro-orm/migrations';

/**
 * Proofs that endpoints want deliveries (docs/decisions/0088). A webhook without a row counts as verified. Processes
 * that do not know them leave an unverified webhook inactive, and ask nothing.
 */
export class Verifications extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.verifications (
        webhook_id bigint primary key references hookwright.webhooks on delete cascade,
        tenant_id bigint not null,
        host text not null,                               -- of the url
        status text not null,                             -- PENDING, VERIFIED, FAILED
        asks integer not null default 0,                  -- begun since the url or the secret is this one
        turn integer not null default 0,                  -- another one with each ask and each new beginning
        next_at timestamptz,                              -- when it may be asked, again after a crash; null: no more
        checked_at timestamptz,                           -- of the last answer
        method text,                                      -- OPTIONS, CHALLENGE
        detail text,                                      -- why the last answer was no proof
        options_code text,                                -- the same for programs, of the answer to OPTIONS
        challenge_code text                               -- and to webhook.challenge; null: not asked
      );
      create index on hookwright.verifications (next_at) where next_at is not null;
      create index on hookwright.verifications (webhook_id) where status <> 'VERIFIED';
      alter table hookwright.verifications enable row level security, force row level security;
      create policy one_tenant on hookwright.verifications to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.verifications to current_user using (true);
      grant select, insert, update on hookwright.verifications to hookwright_api;

      -- The asks of all tenants together. Logged: a crash of the server must not let more through.
      create table hookwright.challenge_hosts (
        host text primary key,
        asked_at timestamptz[] not null,                  -- the last ones, ascending
        last_at timestamptz not null
      );
      create index on hookwright.challenge_hosts (last_at);
    `);
  }
}
