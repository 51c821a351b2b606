import type { Task, TaskList } from 'graphile-worker';
import type { Logger } from 'pino';
import type { DeliverGroupJob, DeliverJob } from '../src/operations/attempts/load-deliveries.js';
import { runBulkOperation } from '../src/operations/bulk/run-bulk-operation.js';
import { enqueueAlign, enqueueBulkOperation, enqueueDefaults } from '../src/operations/jobs/enqueue.js';
import {
  ALIGN_TASK,
  type AlignPayload,
  BULK_TASK,
  type BulkPayload,
  DEFAULTS_TASK,
  DELIVER_GROUP_TASK,
  DELIVER_TASK,
  type DefaultsPayload,
  ERASE_TASK,
  TURN_TASK,
  type TurnPayload,
} from '../src/operations/jobs/tasks.js';
import type { SecretVault } from '../src/operations/secrets/secret-vault.js';
import { followDefaults } from '../src/operations/tenants/follow-defaults.js';
import { alignWebhook } from '../src/operations/webhooks/align-webhook.js';
import type { Database } from '../src/platform/database/database.js';
import type { Config } from '../src/platform/settings/config.js';
import type { Deliverer } from './delivery/deliver.js';
import { BusyKeys } from './jobs/busy-keys.js';
import { PacedWork } from './jobs/paced-work.js';
import { Quarantine } from './jobs/quarantine.js';
import { freeingStopped } from './jobs/released-jobs.js';
import type { Fence } from './liveness/fence.js';

/** Long work is done by many jobs, so that none delays the end of the daemon. */
const PIECE_MS = 2_000;
/** Each keeps a connection busy, of which deliveries need some. */
const ALIGNED_AT_ONCE = 2;
/** Each keeps a worker busy, mostly by pausing. */
const BULK_AT_ONCE_MIN = 2;

type BulkJob = BulkPayload & { tries: number };

/** The tasks by the names that jobs carry, but for regular duties. */
export function taskList(deps: {
  config: Config;
  db: Database;
  log: Logger;
  vault: Pick<SecretVault, 'open'>;
  deliverer: Pick<Deliverer, 'deliver' | 'deliverGroup'>;
  fence: Fence;
}): TaskList {
  const { db, log, vault, deliverer, fence, config } = deps;
  const quarantine = new Quarantine({ db, log });
  const aligning = new PacedWork<AlignPayload>({
    fence,
    atOnce: ALIGNED_AT_ONCE,
    waitingMax: Math.floor(config.delivery.concurrency / 4),
    work: async ({ tenantId, webhookId, wokenTo, putOffBefore }, restInMs) => {
      const woken = wokenTo === undefined || putOffBefore === undefined ? undefined : { wokenTo, putOffBefore };
      const moved = await alignWebhook(db, tenantId, webhookId, { pieceMs: PIECE_MS, restInMs }, woken);
      log.debug({ webhookId, moved }, 'aligned deliveries with their webhook');
    },
    putOff: ({ tenantId, webhookId, ...woken }, inMs) => enqueueAlign(db.pool, tenantId, webhookId, woken, inMs),
  });
  const bulkOperations = new PacedWork<BulkJob>({
    fence,
    atOnce: Math.max(BULK_AT_ONCE_MIN, Math.floor(config.delivery.concurrency / 10)),
    waitingMax: 0,
    work: async ({ tries, ...bulk }) => {
      await runBulkOperation({ pool: db.pool, vault }, bulk, { tries, turnMs: PIECE_MS }).catch((error: unknown) => {
        log.warn({ err: error, operationId: bulk.operationId }, 'a chunk of a bulk operation failed');
        throw error;
      });
    },
    putOff: ({ tries: _, ...bulk }, inMs) => enqueueBulkOperation(db.pool, bulk, inMs),
  });
  const runBulk: Task = (payload, { job }) => bulkOperations.run({ ...(payload as BulkPayload), tries: job.attempts });
  const busyKeys = new BusyKeys({ db, fence });
  return {
    [DELIVER_TASK]: freeingStopped(db, fence, (payload, { job }) =>
      quarantine.run(job, payload as DeliverJob, () => deliverer.deliver(payload as DeliverJob, job.priority)),
    ),
    [DELIVER_GROUP_TASK]: freeingStopped(db, fence, (payload, { job }) =>
      quarantine.runGroup(job, payload as DeliverGroupJob, () =>
        deliverer.deliverGroup(payload as DeliverGroupJob, job.priority),
      ),
    ),
    [ALIGN_TASK]: (payload) => aligning.run(payload as AlignPayload),
    [TURN_TASK]: (payload) => busyKeys.watch(payload as TurnPayload),
    [BULK_TASK]: runBulk,
    [ERASE_TASK]: runBulk,
    [DEFAULTS_TASK]: async (payload) => {
      const { tenantId, after } = payload as DefaultsPayload;
      const last = await followDefaults(db.pool, tenantId, after, PIECE_MS);
      if (last !== null) {
        await enqueueDefaults(db.pool, { tenantId, after: last });
      }
    },
  };
}
