import type pg from 'pg';
import { forgetRows } from '../housekeeping/forget.js';

/**
 * Deletes sessions that ended longer ago than deliveries are kept. Those in which something was changed stay: the audit
 * log names them.
 */
export const forgetPortalSessions = (pool: pg.Pool, retentionDays: number): Promise<void> =>
  forgetRows(
    pool,
    'api_keys',
    `portal_id is not null and expires_at < now() - interval '${retentionDays} days'
       and not exists (select from hookwright.audit_log l where l.api_key_id = api_keys.id)
       and not exists (select from hookwright.bulk_operations b where b.api_key_id = api_keys.id)`,
  );
