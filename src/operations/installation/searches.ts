import { LATE_AFTER_MS } from '../../domain/deliveries/health-limits.js';
import { hasNoLiveJobSql } from '../../platform/graphile-worker/job-conditions.js';
import { isHoldEndingSql } from '../attempts/raise-events.js';
import { heldSql } from '../deliveries/rescue-deliveries.js';
import { isLeftOverSql } from '../ordering/left-turns.js';
import { unexplainedTimes } from './future-times.js';
import { ignoredFilters } from './ignored-filters.js';
import type { Progress, Search } from './search-parts.js';

/** Longer than the sweep for them takes. */
const LOST_AFTER_SECONDS = 180;

/** Pending deliveries that have been due for so long. */
const due = (seconds: number): Omit<Search, 'key' | 'isFault' | 'columns'> => ({
  table: 'hookwright.deliveries',
  where: `status = 'PENDING' and due_at < now() - ${seconds} * interval '1 second'`,
  order: { due_at: 'timestamptz' },
  comesAt: 'due_at',
});

/** Faults that the doctor and each report look for. */
export const searches = {
  /** Deliveries without a job. */
  lost: {
    ...due(LOST_AFTER_SECONDS),
    columns: 'id, due_at, attempt_count, job_group',
    key: { id: 'bigint' },
    isFault: hasNoLiveJobSql('looked', String(LOST_AFTER_SECONDS)),
  },
  /** Due deliveries whose endpoints do not want them to wait, with their times; the oldest first. */
  late: {
    ...due(LATE_AFTER_MS / 1_000),
    columns: 'id, due_at, webhook_id',
    key: { id: 'bigint', due_at: 'timestamptz' },
    isFault: 'not hookwright.endpoint_waits(webhook_id)',
  },
  /** Ordering keys in whose queues nothing has its turn. */
  leftTurns: {
    table: 'hookwright.ordering_keys',
    where: 'true',
    columns: 'webhook_id, key',
    order: { webhook_id: 'bigint', key: 'text' },
    key: { webhook_id: 'bigint', key: 'text' },
    isFault: isLeftOverSql('looked'),
  },
  /** Webhooks whose held deliveries are canceled within a day, or when half of a shorter hold is over. */
  holdsEnding: {
    table: 'hookwright.webhooks w',
    where: `not active and deleted_at is null and ${isHoldEndingSql('w')}`,
    columns: 'id, hold_until',
    order: { hold_until: 'timestamptz', id: 'bigint' },
    key: { id: 'bigint' },
    isFault: `exists (${heldSql('d.webhook_id = looked.id')})`,
    partRows: 30,
  },
  ...unexplainedTimes,
  ...ignoredFilters,
} satisfies Record<string, Search>;

export type SearchName = keyof typeof searches;
export type Searched = Readonly<Record<SearchName, Progress>>;
