import type { HasPool } from '../../platform/database/database.js';

/**
 * Erases secrets whose overlap is over. Webhooks that another session has locked are left to the next time: waiting for
 * them would keep the outcomes of all the others waiting.
 */
export async function forgetPreviousSecrets({ pool }: HasPool): Promise<void> {
  await pool.query(
    `with over as materialized (
       select id from hookwright.webhooks where previous_secret_expires_at < now()
       for no key update skip locked)
     update hookwright.webhooks w set previous_sealed_secret = null, previous_secret_expires_at = null
     from over where w.id = over.id`,
  );
}
