/** An index of a table that may have millions of rows. */
export interface LargeIndex {
  /** Another definition gets another name. On partitions it begins with the partition's name. */
  name: string;
  /** In the schema `hookwright`. It may be partitioned. */
  table: string;
  /** SQL after `create index … on <table>`. */
  on: string;
}

/**
 * Indexes that `migrate` makes beside all running processes, after the tables and functions (docs/decisions/0073).
 * Nothing but speed may need them: processes are ready without them.
 */
export const indexes: readonly LargeIndex[] = [
  { name: 'api_keys_made_in', table: 'api_keys', on: '(made_in) where made_in is not null' },
  // Portal sessions that count as active (activeSessions in src/entities/api-key.ts). The index api_keys_portal_active
  // stays for processes of version 0.1.0.
  {
    name: 'api_keys_portal_open',
    table: 'api_keys',
    on: `(tenant_id, (case when portal_exchanged_at is null then portal_code_expires_at else expires_at end))
         where revoked_at is null and portal_id is not null`,
  },
  {
    name: 'webhooks_disabled_by_failures',
    table: 'webhooks',
    on: "(id) where disabled_reason = 'FAILURES' and deleted_at is null",
  },
  { name: 'webhooks_not_plain', table: 'webhooks', on: '(tenant_id) where not plain' },
  { name: 'deliveries_waiting', table: 'deliveries', on: `(id) where status = 'WAITING'` },
  // Which holds end without a warning yet.
  {
    name: 'webhooks_unwarned',
    table: 'webhooks',
    on: '(hold_until, id) where hold_warned_until is distinct from hold_until and not active and deleted_at is null',
  },
  { name: 'webhooks_holds_ending', table: 'webhooks', on: '(hold_until, id) where not active and deleted_at is null' },
  // Webhooks and options of the way beside the plain one, which are compared.
  { name: 'webhooks_flow', table: 'webhooks', on: '(id) where not plain' },
  {
    name: 'webhook_options_flow',
    table: 'webhook_options',
    on: `(webhook_id) where filter_path is not null or content_id is not null or ordering_by <> 'NONE'`,
  },
  // The forms that webhooks use.
  { name: 'webhook_options_compat', table: 'webhook_options', on: '(compat) where compat is not null' },
  // The certificates that end soon.
  {
    name: 'webhook_options_certificates',
    table: 'webhook_options',
    on: '(certificate_ends_at) where certificate_ends_at is not null',
  },
  // What housekeeping deletes.
  { name: 'bulk_operations_finished', table: 'bulk_operations', on: '(finished_at) where finished_at is not null' },
  // The erasure of an event reads it.
  { name: 'idempotency_keys_event', table: 'idempotency_keys', on: '(event_id)' },
  { name: 'scheduled_events_event', table: 'scheduled_events', on: '(event_id) where event_id is not null' },
  // The retention of a tenant reads it.
  { name: 'tenants_retention', table: 'tenants', on: '(id) where retention_days is not null and deleted_at is null' },
  {
    name: 'scheduled_events_canceled',
    table: 'scheduled_events',
    on: `(tenant_id, finished_at) where status = 'CANCELED' and erased_at is null`,
  },
  { name: 'creation_keys_age', table: 'creation_keys', on: '(created_at)' },
  { name: 'raised_events_age', table: 'raised_events', on: '(raised_at) where pending = 0' },
  { name: 'webhook_contents_ended', table: 'webhook_contents', on: '(ended_at) where ended_at is not null' },
  { name: 'webhook_contents_webhook', table: 'webhook_contents', on: '(webhook_id)' },
  { name: 'notices_age', table: 'notices', on: '(happened_at)' },
  { name: 'notice_recipients_deleted', table: 'notice_recipients', on: '(id) where deleted_at is not null' },
  { name: 'confirmation_requests_age', table: 'confirmation_requests', on: '(requested_at)' },
  // The oldest and the newest tenant of each encryption key.
  { name: 'tenants_data_keys', table: 'tenants', on: '(data_key_kid, id)' },
  // Webhooks in trouble, those of each state since when: what a platform key sees first. Outcomes of a healthy webhook
  // change none of these columns. An index for each state, because row-level security has no enum lead an index.
  {
    name: 'webhooks_gone',
    table: 'webhooks',
    on: `(disabled_at desc nulls last, id) include (tenant_id)
         where deleted_at is null and not active and disabled_reason = 'GONE'`,
  },
  {
    name: 'webhooks_failed',
    table: 'webhooks',
    on: `(disabled_at desc nulls last, id) include (tenant_id)
         where deleted_at is null and not active and disabled_reason = 'FAILURES'`,
  },
  {
    name: 'webhooks_failing',
    table: 'webhooks',
    on: `(streak_began_at desc nulls last, id) include (tenant_id, closed_until)
         where deleted_at is null and active and consecutive_failures >= 3`,
  },
  // A tenant may have many webhooks, of which few are inactive.
  {
    name: 'webhooks_inactive_of_tenant',
    table: 'webhooks',
    on: '(tenant_id, id desc) where deleted_at is null and not active',
  },
  // A long audit log by what was done.
  { name: 'audit_log_actions', table: 'audit_log', on: '(tenant_id, action, id desc)' },
  // Tenants by a part of their names.
  {
    name: 'tenants_name_parts',
    table: 'tenants',
    on: 'using gin (hookwright.parts_of(name)) where deleted_at is null',
  },
  // Webhooks of each day, hour and minute in the order in which they are ranked. Roll-ups write them, outcomes do not.
  {
    name: 'stats_by_attempts',
    table: 'delivery_stats',
    on: `(resolution, bucket, (successes + failures) desc) include (tenant_id, webhook_id, successes, failures)
         where event_type = '' and webhook_id <> 0`,
  },
  {
    name: 'stats_by_failures',
    table: 'delivery_stats',
    on: `(resolution, bucket, failures desc) include (tenant_id, webhook_id)
         where event_type = '' and webhook_id <> 0 and failures > 0`,
  },
];
