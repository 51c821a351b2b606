import { Migration } from '@mikro-orm/migrations';

/** Events, deliveries, attempts, their statistics, live updates and reports of daemons. */
export class DeliveryTables extends Migration {
  override up(): void {
    this.addSql(`
      -- The low bits of ids (functions/ids.sql). No cache: numbers that a session keeps back would be equal, modulo
      -- 4096, to fresh ones of another session.
      create sequence hookwright.id_sequence as bigint cache 1;

      -- Events, deliveries and attempts have a partition for each UTC day, by their time-ordered ids. They carry no
      -- foreign keys: emit_events writes tenant, event and webhook together, and a key check for each row would cost
      -- more than the row (docs/decisions/0002).
      create table hookwright.events (
        id bigint not null,
        tenant_id bigint not null,
        event_type text not null,
        body text not null,                               -- the exact bytes that every attempt signs and sends
        only_webhook_id bigint,                           -- the one webhook that gets it; null: all subscribers
        primary key (tenant_id, id)                       -- docs/decisions/0034
      ) partition by range (id);

      -- The trace that an event's attempts continue. Only sampled events have a row, so an installation without tracing
      -- pays nothing for it (docs/decisions/0015).
      create table hookwright.event_traces (
        event_id bigint primary key,
        tenant_id bigint not null,
        traceparent text not null check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
      );

      create table hookwright.idempotency_keys (
        tenant_id bigint not null references hookwright.tenants,
        key text not null,
        event_id bigint not null,
        request_hash bytea not null,                      -- SHA-256 of type and body
        created_at timestamptz not null default now(),
        primary key (tenant_id, key)
      );
      create index idempotency_keys_age on hookwright.idempotency_keys (created_at);

      create type hookwright.delivery_status as enum ('PENDING', 'HELD', 'SUCCEEDED', 'FAILED', 'CANCELED');
      create type hookwright.cancel_reason as enum
        ('WEBHOOK_DELETED', 'HOLD_EXPIRED', 'DISCARDED', 'EXPIRED', 'BY_USER');
      create table hookwright.deliveries (
        id bigint primary key,
        tenant_id bigint not null,
        event_id bigint not null,
        webhook_id bigint not null,
        event_type text not null,
        status hookwright.delivery_status not null,
        cancel_reason hookwright.cancel_reason,
        attempt_count integer not null default 0,
        attempts_before integer not null default 0,       -- before the last redelivery: retries count from here
        job_group bigint,                                 -- first attempts that share a job: the id of the first one
        due_at timestamptz not null default now(),
        finished_at timestamptz,
        last_status_code integer,
        last_error_code text,
        run integer not null default 0                    -- how often it was redelivered
      ) partition by range (id);
      -- Unique, so that it can identify a tenant's rows where they are replicated apart (docs/decisions/0034).
      create unique index deliveries_tenant on hookwright.deliveries (tenant_id, id desc);
      create index deliveries_webhook on hookwright.deliveries (webhook_id, id desc);
      create index deliveries_event on hookwright.deliveries (event_id);
      -- An index for each state (docs/decisions/0003).
      create index deliveries_pending on hookwright.deliveries (webhook_id, id) where status = 'PENDING';
      create index deliveries_held on hookwright.deliveries (webhook_id, id) where status = 'HELD';
      create index deliveries_due on hookwright.deliveries (due_at) where status = 'PENDING';
      create index deliveries_failed on hookwright.deliveries (tenant_id, id desc) where status = 'FAILED';
      -- Counts due ones and finds the oldest.
      create index deliveries_webhook_due on hookwright.deliveries (webhook_id, due_at) where status = 'PENDING';
      -- Pages by state. They contain failures and cancellations alone, so a quick success costs nothing.
      create index deliveries_webhook_failed on hookwright.deliveries (webhook_id, id desc) where status = 'FAILED';
      create index deliveries_webhook_canceled on hookwright.deliveries (webhook_id, id desc)
        where status = 'CANCELED';
      create index deliveries_canceled on hookwright.deliveries (tenant_id, id desc) where status = 'CANCELED';
      -- In the order of ids, with the searched columns in the index: entries that do not match are skipped without
      -- reading the row. (A division by 100 would suit classes of codes better, but row-level security allows no index
      -- on an expression that can fail.)
      create index deliveries_errors on hookwright.deliveries (tenant_id, id desc, last_error_code, last_status_code)
        where last_error_code is not null;

      create table hookwright.attempts (
        delivery_id bigint not null,
        number integer not null,
        tenant_id bigint not null,
        url text not null,
        started_at timestamptz not null,
        duration_ms integer not null,
        status_code integer,
        error_code text,
        request_headers text not null,                    -- JSON, as sent
        response_headers text,                            -- JSON, as received
        response_body bytea,                              -- at most 16 KiB; receivers send NUL and broken UTF-8
        response_truncated boolean not null default false,
        dns_ms integer,                                   -- null: no name to resolve, or an open connection
        connect_ms integer,
        tls_ms integer,
        first_byte_ms integer,
        primary key (delivery_id, number)
      ) partition by range (delivery_id);

      -- Columns that no query searches by are not analyzed: sampling the texts of bodies, headers and answers is nearly
      -- half of the cost of analyzing. Attempts are found by delivery and number alone.
      alter table hookwright.events alter body set statistics 0;
      do $$
      begin
        execute (
          select 'alter table hookwright.attempts '
            || string_agg(format('alter %I set statistics %s', attname,
                                 case when attname in ('delivery_id', 'number') then 10 else 0 end), ', ')
          from pg_attribute
          where attrelid = 'hookwright.attempts'::regclass and attnum > 0 and not attisdropped);
      end $$;

      -- Minutes are rolled up to hours and days, each with its sums over webhooks and event types, and every series
      -- lies together in the primary key (docs/decisions/0012).
      create table hookwright.delivery_stats (
        tenant_id bigint not null,
        webhook_id bigint not null,                       -- 0: the sum of all webhooks
        event_type text not null,                         -- empty: the sum of all event types
        resolution text not null,                         -- no enum: with row-level security its "=" uses no index
        bucket timestamptz not null,
        successes integer not null,
        failures integer not null,
        latency_histogram integer[] not null,             -- 24 exponential buckets, see src/domain/stats/latency.ts
        constraint delivery_stats_resolution check (resolution in ('MINUTE', 'HOUR', 'DAY')),
        primary key (tenant_id, webhook_id, event_type, resolution, bucket)
      ) with (fillfactor = 70);
      -- The rows that outcomes write; the rows that are rolled up from them.
      create index delivery_stats_written on hookwright.delivery_stats (bucket, tenant_id)
        where resolution = 'MINUTE' and webhook_id <> 0 and event_type <> '';
      create index delivery_stats_rolled_up on hookwright.delivery_stats (resolution, bucket)
        where resolution <> 'MINUTE' or webhook_id = 0 or event_type = '';
      -- How far the roll-up has come (src/domain/stats/roll-up.ts).
      create table hookwright.stats_progress (
        only_row boolean primary key default true check (only_row),
        minutes_until timestamptz not null,               -- minutes before have their sums
        hours_until timestamptz not null,                 -- hours before are rolled up
        days_until timestamptz not null,                  -- days before are rolled up
        minutes_from timestamptz not null,                -- minutes before are gone: their hours are final
        hours_from timestamptz not null                   -- hours before are gone: their days are final
      );

      -- The last report of each daemon about each endpoint. Unlogged: there is a new one every two seconds.
      create unlogged table hookwright.endpoint_states (
        webhook_id bigint not null,
        daemon_id uuid not null,
        tenant_id bigint not null,
        window_limit integer not null,
        in_flight integer not null,
        waiting integer not null,
        put_offs bigint not null,
        mean_ms double precision,
        updated_at timestamptz not null default now(),
        primary key (webhook_id, daemon_id)
      ) with (fillfactor = 50);
      create index endpoint_states_age on hookwright.endpoint_states (updated_at);

      -- Live updates (docs/decisions/0014): until when changes are noted. While that time is extended early enough, the
      -- epoch stays the same and no change is missing. Unlogged: a crash of the server empties it, and a reader sees by
      -- the new epoch that changes are missing.
      create unlogged table hookwright.live_feed (
        only_row boolean primary key default true check (only_row),
        epoch uuid not null,
        wanted_until timestamptz not null,
        complete_from xid8,                               -- transactions from this id on have noted their changes
        seen_below xid8,                                  -- readers have seen the changes of transactions below
        ended_below xid8,                                 -- transactions below had ended at ended_below_at
        ended_below_at timestamptz
      ) with (fillfactor = 50);
      -- The same time in seconds since 1970, for the conditions of the triggers, which cannot run a query: calling a
      -- trigger costs as much as a small statement. A sequence is seen at once, whatever the snapshot.
      create sequence hookwright.changes_wanted_until;
      -- A row for each statement and tenant, with the ids of the changed rows. By the transaction's id a reader finds
      -- the changes that its last snapshot does not hold: the order of a sequence is not the order of commits.
      create unlogged table hookwright.changes (
        xid xid8 not null default pg_current_xact_id(),
        tenant_id bigint not null,
        kind text not null,
        ids bigint[] not null,
        webhook_ids bigint[] not null
      );
      create index changes_xid on hookwright.changes (xid);

      create table hookwright.housekeeping (
        only_row boolean primary key default true check (only_row),
        succeeded_at timestamptz,
        failed_at timestamptz,
        error text                                        -- of the last run; null: it succeeded
      );

      -- What each daemon reports of itself every few seconds.
      create unlogged table hookwright.daemons (
        id uuid primary key,
        host text not null,
        pid integer not null,
        version text not null,
        slots integer not null,
        in_flight integer not null,
        started_at timestamptz not null,
        last_seen_at timestamptz not null default now()
      ) with (fillfactor = 50);
      -- A daemon's report of the installation, from tables that only their owner can read.
      create unlogged table hookwright.installation_report (
        only_row boolean primary key default true check (only_row),
        report text not null,                             -- JSON
        made_at timestamptz not null default now()
      ) with (fillfactor = 50);
    `);
  }
}
