import { hostOf } from '../../domain/addresses/url-form.js';
import type { Webhook } from '../../entities/webhook.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { unverified } from '../proofs/inactive.js';

/** Changes of proofs by people, whose transaction has locked the webhook (docs/decisions/0088). */

const beginStatement: Statement = {
  text: `
    insert into hookwright.verifications as v (webhook_id, tenant_id, host, status, next_at)
    values ($1, $2, $3, 'PENDING', now())
    on conflict (webhook_id) do update
    set host = excluded.host, status = 'PENDING', asks = 0, turn = v.turn + 1, next_at = excluded.next_at,
        checked_at = null, method = null, detail = null, options_code = null, challenge_code = null`,
};

/** Has the endpoint of a webhook prove itself, whatever it has proved before. @param webhook its row was written */
export async function beginVerification(sql: SqlTarget, { id, tenantId, url }: Webhook): Promise<void> {
  await query(sql, beginStatement, [id, tenantId, hostOf(new URL(url))]);
}

const againStatement: Statement = {
  text: `
    update hookwright.verifications set status = 'PENDING', asks = 0, turn = turn + 1, next_at = now()
    where webhook_id = $1 and status <> 'VERIFIED'`,
};

/** Has an endpoint that has proved nothing yet asked at once, and then as often as a new one. */
export async function askAgain(sql: SqlTarget, webhookId: number): Promise<void> {
  await query(sql, againStatement, [webhookId]);
}

const endStatement: Statement = {
  text: `
    update hookwright.verifications set next_at = null, detail = null, options_code = null, challenge_code = null
    where webhook_id = any($1::bigint[])`,
};

/** Has nobody ask deleted webhooks. */
export async function endVerifications(sql: SqlTarget, webhookIds: readonly number[]): Promise<void> {
  await query(sql, endStatement, [[...webhookIds]]);
}

const waiveStatement: Statement = {
  text: `
    update hookwright.verifications
    set status = 'VERIFIED', turn = turn + 1, next_at = null, checked_at = null, method = null, detail = null,
        options_code = null, challenge_code = null
    where webhook_id = $1 and ($2 or status = 'VERIFIED')`,
};

/**
 * Has a webhook count as verified, as one that nobody has asked: its row is as none (readVerifications). Where no proof
 * is demanded (ENDPOINT_CHALLENGE=off), somebody has enabled it.
 */
export async function waiveProof(sql: SqlTarget, webhookId: number): Promise<void> {
  await query(sql, waiveStatement, [webhookId, true]);
}

const elsewhereStatement: Statement = {
  text: `update hookwright.verifications set host = $2 where webhook_id = $1 and status <> 'VERIFIED'`,
};

/**
 * Notes another endpoint where no proof is demanded (ENDPOINT_CHALLENGE=off). What the one before has proved says
 * nothing of it; a proof that is still awaited is now one of the new endpoint.
 */
export async function moveUnasked(sql: SqlTarget, { id, url }: Webhook): Promise<void> {
  await query(sql, waiveStatement, [id, false]);
  await query(sql, elsewhereStatement, [id, hostOf(new URL(url))]);
  await askAgain(sql, id);
}

const unverifiedStatement: Statement = {
  text: `select from hookwright.verifications where webhook_id = $1 and status <> 'VERIFIED'`,
};

/** @throws ApiError webhook_unverified: the endpoint was asked for a proof, and has given none */
export async function requireVerified(sql: SqlTarget, webhookId: number): Promise<void> {
  if ((await query(sql, unverifiedStatement, [webhookId])).length > 0) {
    throw unverified(webhookId);
  }
}
