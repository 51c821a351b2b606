import type { Statement } from '../../platform/database/database.js';

const KEY = 'tenant_id, webhook_id, resolution, bucket';
const FIGURES = ['due', 'held', 'oldest_seconds', 'is_more', 'others'] as const;

/** The most that there was in any of the shorter buckets. */
const rollSql = (source: string, into: 'HOUR' | 'DAY') => `
  insert into hookwright.queue_stats as s (${KEY}, ${FIGURES.join(', ')})
  select tenant_id, webhook_id, '${into}', date_trunc('${into}', bucket, 'UTC'), max(due), max(held),
         max(oldest_seconds), bool_or(is_more), bool_or(others)
  from ${source} group by 1, 2, 4
  on conflict (${KEY}) do update
  set ${FIGURES.map((figure) => `${figure} = excluded.${figure}`).join(', ')}
  where (${FIGURES.map((figure) => `s.${figure}`).join(', ')})
        is distinct from (${FIGURES.map((figure) => `excluded.${figure}`).join(', ')})`;

const within = (resolution: string) =>
  `hookwright.queue_stats where resolution = '${resolution}' and bucket >= $1 and bucket < $2`;

const endSql = (from: 'MINUTE' | 'HOUR', into: 'HOUR' | 'DAY') => `
  with gone as (delete from ${within(from)} returning *) ${rollSql('gone', into)}`;

/** The parts of the steps of statistics (`rollUpStats`) that roll the queue up. */
export const queueSteps = {
  ROLL_HOURS: { name: 'roll_queue_hours', text: rollSql(within('MINUTE'), 'HOUR') },
  ROLL_DAYS: { name: 'roll_queue_days', text: rollSql(within('HOUR'), 'DAY') },
  END_MINUTES: { name: 'end_queue_minutes', text: endSql('MINUTE', 'HOUR') },
  END_HOURS: { name: 'end_queue_hours', text: endSql('HOUR', 'DAY') },
} satisfies Record<string, Statement>;
