import type { Logger } from 'pino';
import { forgetDue } from '../../src/operations/cells/move/forget.js';
import { warnOfEndingCertificates } from '../../src/operations/certificates/warn-of-ending.js';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { noteHousekeeping } from '../../src/operations/housekeeping/note-run.js';
import { rollPartitions } from '../../src/operations/housekeeping/roll-partitions.js';
import { eraseTenants } from '../../src/operations/tenants/delete-tenant.js';
import { forgetPreviousSecrets } from '../../src/operations/webhooks/forget-previous-secrets.js';
import { tryEach } from '../../src/platform/concurrency/try-each.js';
import type { Database } from '../../src/platform/database/database.js';
import { deleteDeadJobs } from '../../src/platform/graphile-worker/locked-jobs.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

interface Housekeeping {
  config: Pick<Config, 'retentionDays'>;
  db: Database;
  log: Logger;
  metrics: Pick<DaemonMetrics, 'expired'>;
}

/**
 * Does the hourly duties. A duty that fails, such as dropping a partition that is being read, is logged, and the others
 * are still done. The result is written to the database, where operators see it. Two runs at once would drop the same
 * partition.
 *
 * @throws AggregateError the failures, after all duties
 */
export async function keepHouse({ config, db, log, metrics }: Housekeeping): Promise<void> {
  const { pool } = db;
  const { retentionDays } = config;
  const duties: Record<string, () => Promise<void>> = {
    ...Object.fromEntries(
      Object.entries(OLD_ROWS).map(([name, old]) => [`forget ${name}`, () => forgetOld(pool, old, retentionDays)]),
    ),
    'delete dead jobs': () => deleteDeadJobs(pool),
    'forget previous secrets': () => forgetPreviousSecrets(db),
    'warn of certificates': async () => {
      const webhooks = await warnOfEndingCertificates(pool);
      if (webhooks > 0) {
        log.info({ webhooks }, 'warned owners of certificates that end soon');
      }
    },
    'erase tenants': async () => {
      const tenants = await eraseTenants(pool, retentionDays);
      if (tenants.length > 0) {
        log.info({ tenants }, 'erased what was left of deleted tenants');
      }
    },
    'erase tenants that moved': async () => {
      const tenants = await forgetDue(pool);
      if (tenants > 0) {
        log.info({ tenants }, 'erased what tenants have left that moved to other cells');
      }
    },
    // Last: it may have to wait for readers.
    'roll partitions': async () =>
      log.info(
        await rollPartitions(pool, retentionDays, (deliveries) => metrics.expired.inc(deliveries)),
        'rolled partitions',
      ),
  };
  try {
    await tryEach(Object.entries(duties), 'duties of housekeeping', async ([duty, work]) => {
      await work().catch((error: Error) => {
        log.warn({ err: error, duty }, 'a duty of housekeeping failed; it is tried again');
        throw new Error(`${duty}: ${error.message}`, { cause: error });
      });
    });
  } catch (error) {
    const failures = (error as AggregateError).errors.map(({ message }: Error) => message);
    await noteHousekeeping(pool, failures.join('; ')).catch(() => {}); // the log has it
    throw error;
  }
  await noteHousekeeping(pool, null);
}
