import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { isProvedSql } from '../proofs/proved.js';
import { about, auditBySql, service } from '../rows/audit.js';
import type { FinishedAttempt } from './finished-attempt.js';
import type { HealthRow } from './update-health.js';

/** Does what `enable` does for a person who releases what is held. */
const enableStatement: Statement = {
  name: 'enable_probed',
  text: `
    with enabled as (
      update hookwright.webhooks
      set active = true, generation = generation + 1, version = version + 1, consecutive_failures = 0,
          disabled_at = null, disabled_reason = null, hold_until = null, closed_until = null, failing_since = null,
          next_probe_at = null, keep_held = false, keep_held_up_to = null
      where id = any($1::bigint[]) and not active and disabled_reason = 'FAILURES' and deleted_at is null
        and ${isProvedSql('webhooks')}
      returning id, generation),
    noted as (
      update hookwright.webhook_recoveries r
      set generation = null, next_probe_at = null, recovered_at = clock_timestamp()
      from enabled where r.webhook_id = enabled.id)
    select id, generation from enabled`,
};

const goneStatement: Statement = {
  name: 'probed_are_gone',
  text: `
    with gone as (
      update hookwright.webhooks set disabled_reason = 'GONE', version = version + 1
      where id = any($1::bigint[]) and not active and disabled_reason = 'FAILURES' and deleted_at is null
      returning id),
    noted as (
      update hookwright.webhook_recoveries r set generation = null, next_probe_at = null
      from gone where r.webhook_id = gone.id)
    select id from gone`,
};

/**
 * Enables webhooks whose probe has succeeded, as somebody does who releases what is held. An endpoint that is gone is
 * not looked at any more. Any other probe changes nothing.
 *
 * @param webhooks locked
 * @param probes the attempts that were recorded now
 * @returns the webhooks, and the successful probes as attempts of the webhooks that they have enabled
 */
export async function endProbes(
  client: pg.PoolClient,
  webhooks: readonly HealthRow[],
  probes: readonly FinishedAttempt[],
): Promise<{ webhooks: readonly HealthRow[]; successes: FinishedAttempt[] }> {
  const known = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  // Another url may have been set meanwhile, or somebody may have switched the webhook.
  const meant = probes.filter(({ delivery: { webhookId, url, generation } }) => {
    const webhook = known.get(webhookId);
    return webhook?.url === url && webhook.generation === generation;
  });
  const idsWith = (verdict: string) =>
    meant.filter(({ outcome }) => outcome.verdict === verdict).map(({ delivery }) => delivery.webhookId);
  const gone = await switched<{ id: number }>(client, goneStatement, idsWith('GONE'));
  const enabled = await switched<{ id: number; generation: number }>(client, enableStatement, idsWith('SUCCEEDED'));
  const generations = new Map(enabled.map(({ id, generation }) => [id, generation]));
  await Promise.all([
    ...gone.map(({ id }) => noteGone(client, known.get(id)!)),
    ...enabled.map(({ id }) => noteEnabled(client, known.get(id)!)),
  ]);
  const isEnabled = ({ delivery, outcome }: FinishedAttempt) =>
    outcome.verdict === 'SUCCEEDED' && generations.has(delivery.webhookId);
  return {
    webhooks: webhooks.map((webhook) => {
      const generation = generations.get(webhook.id);
      return generation === undefined ? webhook : { ...webhook, ...HEALTHY, generation };
    }),
    successes: meant.filter(isEnabled).map((attempt) => {
      const { delivery } = attempt;
      return { ...attempt, delivery: { ...delivery, generation: generations.get(delivery.webhookId)! } };
    }),
  };
}

const HEALTHY = { active: true, consecutiveFailures: 0, streakBeganAgoMs: null, failingForMs: null } as const;

const switched = async <Row extends object>(
  client: pg.PoolClient,
  statement: Statement,
  ids: number[],
): Promise<Row[]> => (ids.length === 0 ? [] : await query<Row>(client, statement, [bigintArray(ids)]));

const noteGone = (client: pg.PoolClient, { id, tenantId }: HealthRow) =>
  auditBySql(client, service, {
    ...about('WEBHOOK', tenantId, id),
    action: 'WEBHOOK_DISABLED',
    before: { reason: 'FAILURES' },
    after: { reason: 'GONE' },
  });

const noteEnabled = (client: pg.PoolClient, { id, tenantId }: HealthRow) =>
  Promise.all([
    enqueueAlign(client, tenantId, id),
    auditBySql(client, service, {
      ...about('WEBHOOK', tenantId, id),
      action: 'WEBHOOK_UPDATED',
      before: { active: false },
      after: { active: true, held: 'RELEASE' },
    }),
  ]);
