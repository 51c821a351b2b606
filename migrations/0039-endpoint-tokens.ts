import { Migration } from '@mikro-orm/migrations';

/**
 * Access tokens of webhooks with OAuth 2 (docs/decisions/0087). Daemons share one row for each webhook: some providers
 * end a token when they give the next one.
 */
export class EndpointTokens extends Migration {
  override up(): void {
    this.addSql(`
      -- Unlogged: after a crash of the server each webhook asks for a token again. Without a foreign key, whose check
      -- would wait for everybody who has the webhook's row locked; housekeeping deletes rows that nobody needs.
      create unlogged table hookwright.endpoint_tokens (
        webhook_id bigint primary key,
        tenant_id bigint not null,
        options_version bigint not null,                  -- of the webhook's options that the rest is for
        client text,                                      -- the mark of their client: other options may have the same
        sealed bytea,                                     -- the token; null: there is none
        got_at timestamptz,
        expires_at timestamptz,
        fetching_until timestamptz,                       -- until then a daemon asks for one; null: nobody does
        failed_at timestamptz,                            -- when the last question failed; null: it did not
        failure text                                      -- a code of src/domain/oauth/token-failure.ts
      ) with (fillfactor = 50);
      alter table hookwright.endpoint_tokens enable row level security, force row level security;
      create policy one_tenant on hookwright.endpoint_tokens to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.endpoint_tokens to current_user using (true);
      -- The API shows failures, and erases tokens with their webhooks. It cannot read them.
      grant select (webhook_id, tenant_id, options_version, failed_at, failure), update (sealed, fetching_until)
        on hookwright.endpoint_tokens to hookwright_api;
    `);
  }
}
