import type pg from 'pg';
import { forgetRows } from '../housekeeping/forget.js';

/** Deletes sessions that ended before the retention time. Sessions that the audit log names stay. */
export const forgetPortalSessions = (pool: pg.Pool, retentionDays: number): Promise<void> =>
  forgetRows(
    pool,
    'api_keys',
    `portal_id is not null and expires_at < now() - interval '${retentionDays} days'
       and not exists (select from hookwright.audit_log l where l.api_key_id = api_keys.id)
       and not exists (select from hookwright.bulk_operations b where b.api_key_id = api_keys.id)`,
  );
