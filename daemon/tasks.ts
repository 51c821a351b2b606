import { type ParsedCronItem, parseCronItems, type TaskList } from 'graphile-worker';
import type { Logger } from 'pino';
import type { Config } from '../src/config.js';
import type { Database } from '../src/database.js';
import { forgetEndpointStates } from '../src/operations/endpoint-states.js';
import {
  DELIVER_GROUP_TASK,
  DELIVER_TASK,
  type DeliverGroupPayload,
  type DeliverPayload,
  SETTLE_TASK,
  type SettlePayload,
} from '../src/operations/enqueue.js';
import { deleteDeadJobs } from '../src/operations/rescue-deliveries.js';
import { forgetIdempotencyKeys, forgetTraces, rollPartitions } from '../src/operations/roll-partitions.js';
import { forgetPreviousSecrets } from '../src/operations/rotate-secret.js';
import { settleWebhook } from '../src/operations/settle-webhook.js';
import type { Deliverer } from './deliver.js';

const HOUSEKEEPING_TASK = 'housekeeping';

/** Task names, as jobs carry them, and what they do. */
export function taskList(deps: {
  config: Config;
  db: Database;
  log: Logger;
  deliverer: Deliverer;
}): TaskList {
  const { config, db, log, deliverer } = deps;
  return {
    [DELIVER_TASK]: (payload, { job }) => deliverer.deliver(payload as DeliverPayload, job.priority),
    [DELIVER_GROUP_TASK]: (payload, { job }) =>
      deliverer.deliverGroup(payload as DeliverGroupPayload, job.priority),
    [SETTLE_TASK]: async (payload) => {
      const { tenantId, webhookId } = payload as SettlePayload;
      const moved = await settleWebhook(db, tenantId, webhookId);
      log.debug({ webhookId, moved }, 'settled a webhook');
    },
    [HOUSEKEEPING_TASK]: async () => {
      const rolled = await rollPartitions(db.pool, config.retentionDays);
      await forgetIdempotencyKeys(db.pool);
      await forgetTraces(db.pool);
      await deleteDeadJobs(db.pool);
      await forgetEndpointStates(db.pool);
      await forgetPreviousSecrets(db);
      log.info(rolled, 'rolled partitions');
    },
  };
}

/** Every hour; a daemon that was away at the full hour does it when it comes back. */
export function crontab(): ParsedCronItem[] {
  return parseCronItems([
    {
      task: HOUSEKEEPING_TASK,
      match: '7 * * * *',
      identifier: HOUSEKEEPING_TASK,
      options: { backfillPeriod: 86_400_000, maxAttempts: 3, jobKey: HOUSEKEEPING_TASK },
    },
  ]);
}
