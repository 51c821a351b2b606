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
];
