import type pg from 'pg';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { CREATION_KEY_HOURS } from '../webhooks/creation-keys.js';

const CHUNK_ROWS = 5_000;
const CONTENT_EXTRA_DAYS = 2;
const SCHEDULED_DAYS = 30;

interface OldRows {
  table: string;
  /** SQL condition. @param retentionDays how long deliveries are kept */
  isOld(retentionDays: number): string;
}

/** Rows that are deleted when they are old. */
export const OLD_ROWS = {
  /** The same key within that time is the same event. */
  'idempotency keys': { table: 'idempotency_keys', isOld: () => `created_at < now() - interval '7 days'` },
  'creation keys': {
    table: 'creation_keys',
    isOld: () => `created_at < now() - interval '${CREATION_KEY_HOURS} hours'`,
  },
  /** Longer than a usual hold with its retries; later deliveries are not traced. */
  traces: { table: 'event_traces', isOld: () => `event_id < hookwright.id_at(now() - interval '8 days')` },
  'bulk operations': { table: 'bulk_operations', isOld: (days) => `finished_at < now() - interval '${days} days'` },
  /** Sessions that the audit log names stay. */
  'portal sessions': {
    table: 'api_keys',
    isOld: (days) => `portal_id is not null and expires_at < now() - interval '${days} days'
      and not exists (select from hookwright.audit_log l where l.api_key_id = api_keys.id)
      and not exists (select from hookwright.bulk_operations b where b.api_key_id = api_keys.id)`,
  },
  'endpoint states': { table: 'endpoint_states', isOld: () => `updated_at < now() - interval '1 day'` },
  /** Their webhooks were deleted, or have other options, perhaps without OAuth 2. */
  'endpoint tokens': {
    table: 'endpoint_tokens',
    isOld: () => `not exists (select from hookwright.webhooks w where w.id = endpoint_tokens.webhook_id
      and w.deleted_at is null and w.options_version = endpoint_tokens.options_version)`,
  },
  /** An event of a minute ago delays no other. */
  'raised events': {
    table: 'raised_events',
    isOld: () => `pending = 0 and raised_at < now() - interval '1 hour'`,
  },
  /** Deliveries that name one were written before it ended, and go with their day. */
  contents: {
    table: 'webhook_contents',
    isOld: (days) => `ended_at < now() - interval '${days + CONTENT_EXTRA_DAYS} days'`,
  },
  'erasure counts': { table: 'erasure_counts', isOld: () => `counted_at < now() - interval '1 day'` },
  'scheduled events': {
    table: 'scheduled_events',
    isOld: () => `finished_at < now() - interval '${SCHEDULED_DAYS} days'`,
  },
  /** No longer published, so nothing verifies with them. */
  'signing keys': { table: 'signing_keys', isOld: () => 'ends_at < now()' },
  'challenged hosts': { table: 'challenge_hosts', isOld: () => `last_at < now() - interval '1 hour'` },
  /** Notices live for four days at most, where mails are sent. */
  notices: { table: 'notices', isOld: () => `happened_at < now() - interval '7 days'` },
  'notice recipients': { table: 'notice_recipients', isOld: () => 'deleted_at is not null' },
  'confirmation requests': { table: 'confirmation_requests', isOld: () => `requested_at < now() - interval '1 day'` },
} satisfies Record<string, OldRows>;

export const forgetOld = (pool: pg.Pool, { table, isOld }: OldRows, retentionDays: number): Promise<void> =>
  forgetRows(pool, table, isOld(retentionDays));

/** Deletes rows however many there are, chunk by chunk. @param condition SQL */
export async function forgetRows(pool: pg.Pool, table: string, condition: string): Promise<void> {
  await inChunks(CHUNK_ROWS, async () => {
    const { rowCount } = await pool.query(
      // The condition stands twice: a row may change meanwhile.
      `delete from hookwright.${table} where ${condition} and ctid = any(array(
         select ctid from hookwright.${table} where ${condition} limit ${CHUNK_ROWS}))`,
    );
    return rowCount ?? 0;
  });
}
