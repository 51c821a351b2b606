import { PLATFORM } from '../../platform/database/tenant-database.js';

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

const within = (resolution: string) =>
  `hookwright.failure_stats where resolution = '${resolution}' and bucket >= $1 and bucket < $2`;
const written = (resolution: string) => `${within(resolution)} and webhook_id <> 0`;

const endSql = (from: 'MINUTE' | 'HOUR', into: 'HOUR' | 'DAY') => `
  with gone as (delete from ${written(from)} returning *),
  sums as (delete from ${within(from)} and webhook_id = 0)
  ${rollSql('gone', into)}`;

/** The parts of the steps of statistics (`rollUpStats`) that roll failures up. */
export const failureSteps = {
  SUM_MINUTES: { name: 'sum_failure_minutes', text: rollSql(written('MINUTE'), 'MINUTE') },
  ROLL_HOURS: { name: 'roll_failure_hours', text: rollSql(written('MINUTE'), 'HOUR') },
  ROLL_DAYS: { name: 'roll_failure_days', text: rollSql(written('HOUR'), 'DAY') },
  END_MINUTES: { name: 'end_failure_minutes', text: endSql('MINUTE', 'HOUR') },
  END_HOURS: { name: 'end_failure_hours', text: endSql('HOUR', 'DAY') },
};
