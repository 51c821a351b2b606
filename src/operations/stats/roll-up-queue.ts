import { rollUpSteps } from './roll-up-steps.js';

const KEY = 'tenant_id, webhook_id, resolution, bucket';
const FIGURES = ['due', 'held', 'oldest_seconds', 'is_more', 'others'] as const;

/** The most that there was in any of the shorter buckets. */
const rollSql = (source: string, into: string) => `
  insert into hookwright.queue_stats as s (${KEY}, ${FIGURES.join(', ')})
  select tenant_id, webhook_id, '${into}', date_trunc('${into}', bucket, 'UTC'), max(due), max(held),
         max(oldest_seconds), bool_or(is_more), bool_or(others)
  from ${source} group by 1, 2, 4
  on conflict (${KEY}) do update
  set ${FIGURES.map((figure) => `${figure} = excluded.${figure}`).join(', ')}
  where (${FIGURES.map((figure) => `s.${figure}`).join(', ')})
        is distinct from (${FIGURES.map((figure) => `excluded.${figure}`).join(', ')})`;

/** The parts of the steps of statistics (`rollUpStats`) that roll the queue up. */
export const queueSteps = rollUpSteps({ table: 'queue_stats', subject: 'queue_', rollSql });
