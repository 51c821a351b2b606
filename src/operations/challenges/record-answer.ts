import type pg from 'pg';
import { nextAskInMs } from '../../domain/challenges/ask-times.js';
import { isElsewhere, ratePerSecondOf, type VerificationMethod } from '../../domain/challenges/challenge.js';
import { defaultsOfFormat } from '../../domain/content/formats.js';
import { Tenant } from '../../entities/tenant.js';
import { DisabledReason, type Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { about, audit, service } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { readSettings, writeOptionsRow } from '../webhooks/settings.js';
import { enable } from '../webhooks/switch-webhook.js';
import type { Asked } from './take-due.js';

interface Proof {
  method: VerificationMethod;
  /** The most requests a minute that the endpoint takes; null: it names none. */
  ratePerMinute: number | null;
}

/** Why there is no proof. */
interface NoProof {
  /** A sentence for people. */
  detail: string;
  /** The code of each request: one of attempts, or of `src/domain/challenges/challenge.ts`. */
  optionsCode: string;
  challengeCode: string;
}

const verifiedStatement: Statement = {
  text: `
    update hookwright.verifications
    set status = 'VERIFIED', method = $2, detail = null, options_code = null, challenge_code = null,
        checked_at = clock_timestamp(), next_at = null, turn = turn + 1
    where webhook_id = $1 and status <> 'VERIFIED'
    returning true`,
};

/**
 * Records that the endpoint of a webhook has proved that it wants deliveries, and enables the webhook if that is what
 * it waited for. A proof is one for the endpoint and the secret that the webhook has now, while its row is locked: of
 * another origin, path or secret, or of a deleted webhook, nothing is recorded, and the change has it asked again.
 *
 * @returns whether it counts
 */
export async function recordProof(db: HasOrm, asked: Asked, proof: Proof): Promise<boolean> {
  const recording = managementTransaction(db, asked.tenantId, async (unit) => {
    const webhook = await lockWebhook(unit.em, asked.webhookId);
    if (isElsewhere(asked.url, webhook.url) || !webhook.sealedSecret.equals(asked.sealedSecret)) {
      return false;
    }
    if ((await query(unit.sql, verifiedStatement, [webhook.id, proof.method])).length === 0) {
      return false; // another daemon was sooner
    }
    const rate = await lowerRate(unit, webhook, proof);
    // Held deliveries that the owner keeps are sent when the owner releases them.
    const held = webhook.keepHeld ? 'KEEP' : 'RELEASE';
    const isEnabled = webhook.disabledReason === DisabledReason.UNVERIFIED;
    if (isEnabled) {
      await enable(unit, webhook, held);
    }
    audit(unit.em, service, {
      ...about('WEBHOOK', webhook.tenantId, webhook.id),
      action: 'WEBHOOK_UPDATED',
      ...(isEnabled ? { before: { active: false } } : {}),
      after: { ...(isEnabled ? { active: true, held } : {}), ...rate, verified: proof.method },
    });
    return true;
  });
  return await recording.catch((error: unknown) => {
    if (error instanceof ApiError && error.reason === 'not_found') {
      return false; // deleted meanwhile
    }
    throw error;
  });
}

/** The webhook's row is locked: whatever rate its owner has set, a proof makes none higher. */
async function lowerRate(
  unit: UnitOfWork,
  webhook: Webhook,
  { ratePerMinute }: Proof,
): Promise<{ ratePerSecond?: number }> {
  const ratePerSecond = ratePerMinute === null ? null : ratePerSecondOf(ratePerMinute);
  if (ratePerSecond === null || ratePerSecond >= ((await rateInForce(unit, webhook)) ?? Number.POSITIVE_INFINITY)) {
    return {};
  }
  await writeOptionsRow(unit, webhook, { ratePerSecond });
  return { ratePerSecond };
}

/** The rate that its attempts have (OptionsOfWebhooks). Null: no limit. */
async function rateInForce({ em }: UnitOfWork, webhook: Webhook): Promise<number | null> {
  const { ratePerSecond, format } = readSettings(webhook, ['ratePerSecond', 'format']);
  const own = ratePerSecond as number | null;
  const inherited = own ?? (await em.findOneOrFail(Tenant, { id: webhook.tenantId })).ratePerSecond;
  return inherited ?? defaultsOfFormat({ format }).ratePerSecond ?? null;
}

const failureStatement: Statement = {
  text: `
    update hookwright.verifications
    set checked_at = clock_timestamp(), detail = $3, options_code = $4, challenge_code = $5,
        next_at = now() + $6::float8 * interval '1 millisecond',
        status = case when $6::float8 is null then 'FAILED' else 'PENDING' end
    where webhook_id = $1 and turn = $2 and status <> 'VERIFIED'`,
};

/** Records an answer that is no proof, and when the next ask comes, unless this ask is no longer the newest one. */
export async function recordNoProof(
  pool: pg.Pool,
  { webhookId, turn, asks }: Asked,
  { detail, optionsCode, challengeCode }: NoProof,
): Promise<void> {
  await query(pool, failureStatement, [webhookId, turn, detail, optionsCode, challengeCode, nextAskInMs(asks)]);
}
