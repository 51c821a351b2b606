import type pg from 'pg';
import type { Logger } from 'pino';
import { raisePending, warnOfExpiringHolds, worthRaisingSql } from '../../src/operations/attempts/raise-events.js';
import { resumeIdleOperations, worthResumingSql } from '../../src/operations/bulk/resume-idle-operations.js';
import { reopenAbandoned, worthReopeningSql } from '../../src/operations/cells/abandoned-moves.js';
import {
  alignWronglyHeld,
  rescueOverdue,
  worthAligningSql,
  worthRescuingSql,
} from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries, worthSchedulingSql } from '../../src/operations/deliveries/schedule-deliveries.js';
import { eraseDue, worthErasingSql } from '../../src/operations/erasure/retention.js';
import { HEARD_EVERY_SECONDS } from '../../src/operations/installation/note-failover.js';
import { HOUSEKEEPING_TASK } from '../../src/operations/jobs/tasks.js';
import { wakeLeftTurns, worthWakingSql } from '../../src/operations/ordering/left-turns.js';
import { countQueue } from '../../src/operations/queue/count-queue.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { probeDisabled, worthProbingSql } from '../../src/operations/webhooks/probe-webhooks.js';
import type { Database, HasPool } from '../../src/platform/database/database.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Deliverer } from '../delivery/deliver.js';
import type { ControlConnection } from '../liveness/control-connection.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import { askEndpoints } from './ask-endpoints.js';
import type { Duty, Sweep } from './duty.js';
import { followLimits } from './follow-limits.js';
import { keepHouse } from './housekeeping.js';
import { shareLanes } from './lane-shares.js';
import { reportEndpoints } from './report-endpoints.js';
import { reportInstallation } from './report-installation.js';
import { emitScheduledEvents } from './scheduled-events.js';
import { type NoticesDeps, sendNotices } from './send-notices.js';

const HOUR_MS = 3_600_000;

interface SweepDeps {
  db: HasPool;
  log: Logger;
  config: Pick<Config, 'deliveryDefaults'>;
}

interface Deps extends NoticesDeps {
  config: Config;
  db: Database;
  metrics: DaemonMetrics;
}

/** Every regular duty of a daemon. */
export const dutiesOf = (
  deps: Deps,
  deliverer: Pick<Deliverer, 'takeDone' | 'isFull' | 'gate' | 'challenges'>,
  control: Pick<ControlConnection, 'reachable'>,
): Duty[] => {
  const notices = sendNotices(deps);
  return [
    { name: 'shares', every: 250, lock: null, work: shareLanes(deps, deliverer) },
    { name: 'scheduled-events', every: 1_000, lock: null, work: () => emitScheduledEvents(deps) },
    { name: 'tenant-limits', every: 2_000, lock: null, ...followLimits(deps, deliverer.gate) },
    { name: 'report-endpoints', every: 2_000, lock: null, work: reportEndpoints(deps, deliverer.gate) },
    {
      name: 'report-installation',
      every: 1_000 * HEARD_EVERY_SECONDS,
      lock: null,
      ...reportInstallation(deps, deliverer.gate, control),
    },
    ...(notices === null ? [] : [{ name: 'notices', every: 5_000, lock: null, work: notices }]),
    {
      name: 'count-queue',
      every: { cron: '* * * * *', backfillMs: 0 },
      lock: null,
      work: async () => deps.log.debug({ rows: await countQueue(deps.db.pool) }, 'counted the queue'),
    },
    {
      name: 'roll-up-stats',
      every: { cron: '* * * * *', backfillMs: 0 },
      lock: null,
      work: async () => deps.log.debug({ steps: await rollUpStats(deps.db.pool) }, 'rolled statistics up'),
    },
    {
      name: HOUSEKEEPING_TASK,
      every: { cron: '7 * * * *', backfillMs: HOUR_MS },
      lock: 'housekeeping',
      work: () => keepHouse(deps),
    },
    ...sweepsOf(deps),
    askEndpoints(deps, deliverer.challenges),
  ];
};

/**
 * Sweeps for retries that need jobs, for lost work (pending deliveries without a job, held deliveries of an active
 * webhook, bulk operations and ordering keys that stand still), for operational events that are due, for payloads whose
 * time is over, for probes of disabled webhooks, and for tenants whose move nobody brings on.
 */
export function sweepsOf({ db: { pool }, log, config }: SweepDeps): Sweep[] {
  const { recovery } = config.deliveryDefaults;
  const logged = loggedBy(log);
  const [holds, ordering, disabled, retention] = [{}, {}, {}, {}];
  return [
    ...sweepsForJobs(pool, logged),
    {
      name: 'bulk',
      every: 2_000,
      lock: 'rescue-bulk',
      worthIt: worthResumingSql,
      work: logged('operations', 'info', 'found bulk operations to go on with', () => resumeIdleOperations(pool)),
    },
    {
      name: 'events',
      every: 4_000,
      lock: 'operational-events',
      worthIt: worthRaisingSql,
      work: async () => (await raisePending(pool)) + (await warnOfExpiringHolds(pool, holds)),
    },
    {
      name: 'ordering',
      every: 8_000,
      lock: 'ordering',
      worthIt: worthWakingSql,
      work: logged('keys', 'info', 'found ordering keys whose next delivery was not woken', () =>
        wakeLeftTurns(pool, ordering),
      ),
    },
    {
      name: 'retention',
      every: 10_000,
      lock: 'retention',
      worthIt: worthErasingSql,
      work: logged('events', 'info', 'erased payloads whose time was over', () => eraseDue(pool, retention)),
    },
    {
      name: 'recovery',
      every: 2_000,
      lock: 'probe-disabled',
      worthIt: worthProbingSql(recovery),
      work: () => probeDisabled(pool, recovery, disabled),
    },
    {
      name: 'moves',
      every: 4_000,
      lock: 'abandoned-moves',
      worthIt: worthReopeningSql,
      work: logged('tenants', 'warn', 'opened tenants again whose move was abandoned', () => reopenAbandoned(pool)),
    },
  ];
}

/** Sweeps that bring deliveries and their jobs together. */
function sweepsForJobs(pool: pg.Pool, logged: ReturnType<typeof loggedBy>): Sweep[] {
  const [held, overdue] = [{}, {}];
  return [
    {
      name: 'schedule',
      every: 4_000,
      lock: 'schedule',
      worthIt: worthSchedulingSql,
      work: () => scheduleDeliveries(pool),
    },
    {
      name: 'held',
      every: 2_000,
      lock: 'rescue-held',
      worthIt: worthAligningSql,
      work: logged('webhooks', 'info', 'found held deliveries to align', () => alignWronglyHeld(pool, held)),
    },
    {
      name: 'overdue',
      every: 8_000,
      lock: 'rescue-overdue',
      worthIt: worthRescuingSql,
      work: logged('deliveries', 'warn', 'rescued overdue deliveries that had no job', () =>
        rescueOverdue(pool, overdue),
      ),
    },
  ];
}

/** Makes the work of a sweep that logs how much it found. */
function loggedBy(log: Logger) {
  return (noun: string, level: 'info' | 'warn', message: string, sweep: () => Promise<number>) => async () => {
    const count = await sweep();
    if (count > 0) {
      log[level]({ [noun]: count }, message);
    }
    return count;
  };
}
