/** How the rows of a table come to another cell. */
type Way =
  /** Events, deliveries and attempts come by days while the tenant is open; what changes later, when it is closed. */
  | 'DAYS'
  /** Rows that ended before are copied while the tenant is open, the rest when it is closed. */
  | 'BEFORE'
  /** All of it is copied when the tenant is closed. */
  | 'CLOSED'
  /** The rows say something about this cell alone. */
  | 'STAYS';

/**
 * Every table with rows of one tenant, in an order in which each comes after those that it refers to. A test compares
 * it with the catalogue. Unlogged tables do not move.
 */
export const MOVED_TABLES = {
  tenants: 'CLOSED',
  api_keys: 'BEFORE',
  webhooks: 'CLOSED',
  webhook_options: 'CLOSED', // its trigger ends contents that are no longer used, so these come after it
  webhook_contents: 'CLOSED',
  webhook_recoveries: 'CLOSED',
  verifications: 'CLOSED',
  raised_events: 'CLOSED',
  signing_keys: 'CLOSED',
  notice_recipients: 'CLOSED',
  notices: 'CLOSED',
  confirmation_requests: 'CLOSED',
  creation_keys: 'CLOSED',
  bulk_operations: 'CLOSED',
  tenant_erasures: 'CLOSED',
  event_ends: 'CLOSED',
  erasure_counts: 'CLOSED',
  scheduled_events: 'CLOSED',
  ordering_keys: 'CLOSED',
  ordering_queue: 'CLOSED',
  events: 'DAYS',
  deliveries: 'DAYS',
  attempts: 'DAYS',
  event_traces: 'DAYS',
  idempotency_keys: 'BEFORE',
  audit_log: 'BEFORE',
  delivery_stats: 'BEFORE',
  failure_stats: 'BEFORE',
  queue_stats: 'BEFORE',
  outbox_grants: 'STAYS', // a tenant with one does not move: its roles are those of this server
  tenant_moves: 'STAYS',
} as const satisfies Readonly<Record<string, Way>>;

export const tablesOf = (way: Way): string[] =>
  Object.entries(MOVED_TABLES).flatMap(([table, its]) => (its === way ? [table] : []));

/** The values that rows have in the target in place of their own. */
const CHANGED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tenants: { moving: 'null::text' },
  webhooks: { moving: 'false' },
  // The jobs of groups stay behind.
  deliveries: { job_group: 'case when t.finished_at is not null then t.job_group end' },
  // Sessions of the console stay behind.
  api_keys: {
    made_in:
      'case when exists (select from hookwright.api_keys m where m.id = t.made_in and m.tenant_id = t.tenant_id) then t.made_in end',
  },
};

export const changedOf = (table: string): Readonly<Record<string, string>> => CHANGED[table] ?? {};

/** SQL condition of `t`: the row is of the tenant. */
export const ofTenant = (table: string, tenantId: number): string =>
  `t.${table === 'tenants' ? 'id' : 'tenant_id'} = ${tenantId}`;

/**
 * SQL conditions of `t`: what nothing changes any more, and is copied while the tenant is open, by the time `before`.
 * The rest is copied when it is closed. Statistics are final long before.
 */
export const ENDED: Readonly<Record<string, (before: string) => string>> = {
  idempotency_keys: (before) => `t.created_at < ${before}`,
  audit_log: (before) => `t.created_at < ${before}`,
  api_keys: (before) => `(t.revoked_at < ${before} or t.expires_at < ${before}) is true`,
  delivery_stats: finalStats,
  failure_stats: finalStats,
  queue_stats: finalStats,
};

/** Minutes of so long ago are summed up, and hours and days are final after these, with much to spare. */
export const SUMMED_AFTER_HOURS = 3;
function finalStats(before: string): string {
  return `t.bucket < ${before} - case t.resolution when 'MINUTE' then interval '${SUMMED_AFTER_HOURS} hours'
    when 'HOUR' then interval '10 days' else interval '100 days' end`;
}

/**
 * SQL: the numbers of keys that the tenant's rows name.
 *
 * @param tenant SQL: the number of the tenant
 * @param since SQL: a time; entries from before are left out
 */
export const keysThatActed = (tenant: number | string, since: string): string => `
    select l.api_key_id from hookwright.audit_log l where l.tenant_id = ${tenant} and l.created_at >= ${since}
    union select b.api_key_id from hookwright.bulk_operations b where b.tenant_id = ${tenant}`;
