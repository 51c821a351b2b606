import { PLATFORM } from '../../platform/database/tenant-database.js';
import { rollUpSteps } from './roll-up-steps.js';

const KEY = 'tenant_id, webhook_id, reason, resolution, bucket';

/** Rows of webhooks, their sums over those of a tenant, and over all tenants. */
function rollSql(source: string, into: 'MINUTE' | 'HOUR' | 'DAY'): string {
  const bucket = `date_trunc('${into}', bucket, 'UTC')`;
  return `
    insert into hookwright.failure_stats as s (${KEY}, failures)
    select coalesce(tenant_id, ${PLATFORM}), coalesce(webhook_id, 0), reason, '${into}', start,
           least(sum(failures), 2147483647)::integer
    from (select *, ${bucket} as start from ${source}) rolled
    group by reason, start, grouping sets ((tenant_id, webhook_id), (tenant_id), ())
    ${into === 'MINUTE' ? 'having grouping(webhook_id) > 0' : ''}
    on conflict (${KEY}) do update set failures = excluded.failures where s.failures <> excluded.failures`;
}

/** The parts of the steps of statistics (`rollUpStats`) that roll failures up. */
export const failureSteps = rollUpSteps({
  table: 'failure_stats',
  subject: 'failure_',
  rows: { written: 'webhook_id <> 0', sum: 'webhook_id = 0' },
  rollSql,
});
