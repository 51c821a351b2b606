/** The rights that the role of the API needs. A migration that gives it another one adds that here; a test compares. */
const text = `
usage on schema: hookwright
select on: all_deliveries, all_ordering_queue, all_shapes, all_signing_keys, all_stats, all_webhooks
select on: api_keys, attempts, audit_log, signing_keys
select on: bulk_operations, creation_keys, daemons, deliveries, delivery_stats, endpoint_states, event_type_versions
select on: event_types, events, installation_report, notice_recipients, ordering_queue, scheduled_events
select on: cell, edition, migrations, moved_keys, moved_tenants, stats_progress, tenants, verifications
select on: failure_stats, queue_gaps, queue_progress, queue_stats, queue_uncounted
select on: erasure_counts
select on: release_versions, releases
select on: webhook_contents, webhook_options, webhook_recoveries, webhooks
insert on: api_keys, audit_log, bulk_operations, creation_keys, notice_recipients, notices, tenants
insert on: erasure_counts
insert on: release_versions, releases
insert on: signing_keys, verifications, webhook_contents, webhook_options, webhooks
insert on: event_types (description), event_types (name), event_types (sample_payload), event_types (schema)
insert on: event_types (text_fields)
update on: creation_keys, deliveries, notice_recipients, verifications, webhook_options, webhooks
update on: api_keys (revoked_at), tenants (deleted_at), tenants (external_id), tenants (name)
update on: bulk_operations (sealed_field), erasure_counts (used_at), tenants (retention_days)
update on: tenants (concurrency_max), tenants (rate_per_second), tenants (recovery)
update on: tenants (retry_delays_seconds), tenants (signing), tenants (timeout_ms)
update on: tenants (body_bytes_max), tenants (endpoints_max), tenants (events_per_second), tenants (limited_by)
update on: tenants (limited_since), tenants (limits_reason), tenants (requests_at_once)
update on: tenants (requests_per_second)
update on: signing_keys (ends_at), signing_keys (sealed)
update on: bulk_operations (error), bulk_operations (finished_at), bulk_operations (status)
update on: event_types (deprecated_at), event_types (description), event_types (sample_payload), event_types (schema)
update on: event_types (hidden_at), event_types (text_fields)
update on: scheduled_events (finished_at), scheduled_events (status)
select on: endpoint_tokens (failed_at), endpoint_tokens (failure), endpoint_tokens (options_version)
select on: endpoint_tokens (tenant_id), endpoint_tokens (webhook_id)
update on: endpoint_tokens (fetching_until), endpoint_tokens (sealed)
usage on sequence: api_keys_id_seq, audit_log_id_seq, id_sequence, tenants_id_seq, webhooks_id_seq
usage on sequence: erasure_counts_id_seq
usage on sequence: releases_id_seq
usage on sequence: notice_recipients_id_seq, options_version, webhook_contents_id_seq
select on sequence: changes_wanted_until
execute on function: attempt_now, begin_portal_session, check_webhook, current_tenant, data_key_samples, emit_events
execute on function: emit_traced_events, endpoint_waits, note_confirmation_request
execute on function: enqueue_align, enqueue_bulk_operation, enqueue_defaults, enqueue_deliveries, event_of_key
execute on function: erase_events, erase_scheduled_events, is_to_erase
execute on function: filter_change, find_api_key, meets_filter, no_change, passes_filter, readable_body
execute on function: find_portal_session, id_at, id_clock, id_day, lock_maker, next_id, note_api_key_use, probe_webhook
execute on function: read_changes, end_turns, leave_queues, queue_again, skip_turn
execute on function: newest_of_type, options_with_paths, webhooks_of_type
execute on function: begin_change, home_of, lease_events, limits_of_tenant, moved_to, set_converter
execute on function: parts_of, tenants_named, want_changes, where_is, where_is_external, write_scheduled_event
policy: api_keys (one_tenant), attempts (one_tenant), audit_log (one_tenant), bulk_operations (one_tenant)
policy: changes (one_tenant), creation_keys (one_tenant), daemons (one_tenant), deliveries (one_tenant)
policy: delivery_stats (one_tenant), failure_stats (one_tenant), queue_stats (one_tenant)
policy: endpoint_tokens (one_tenant)
policy: endpoint_states (one_tenant), event_traces (one_tenant), events (one_tenant), idempotency_keys (one_tenant)
policy: installation_report (one_tenant), outbox_grants (one_tenant), raised_events (one_tenant)
policy: tenants (one_tenant), tenants (platform), webhooks (one_tenant)
policy: outbox_emits (one_tenant), tenant_moves (one_tenant), tenant_rates (one_tenant)
policy: confirmation_requests (one_tenant), notice_recipients (one_tenant), notices (one_tenant)
policy: erasure_counts (one_tenant), event_ends (one_tenant), tenant_erasures (one_tenant)
policy: ordering_keys (one_tenant), ordering_queue (one_tenant), scheduled_events (one_tenant)
policy: signing_keys (one_tenant), verifications (one_tenant)
policy: webhook_contents (one_tenant), webhook_options (one_tenant), webhook_recoveries (one_tenant)
policy: event_types (everybody_reads), event_types (installation_adds), event_types (installation_changes)
policy: release_versions (everybody_reads), release_versions (installation_adds)
policy: releases (everybody_reads), releases (installation_adds)
`;

/** "select on webhooks", one right in each. */
export const apiRights: readonly string[] = text
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [kind, names = ''] = line.split(': ');
    return names.split(', ').map((name) => `${kind} ${name}`);
  });
