import { createHash } from 'node:crypto';
import { Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import { query, type SqlTarget } from '../../platform/database/database.js';
import type { UnitOfWork } from '../rows/unit-of-work.js';

export const CREATION_KEY_HOURS = 24;

/** A request with an idempotency key that creates a webhook. */
export interface KeyedCreation {
  tenantId: number;
  apiKeyId: number;
  key: string;
  /** Says whether another request is the same. Not a plain hash: a request may have secrets in it. */
  requestHmac: Buffer;
}

const findStatement = {
  text: `
    select webhook_id as "webhookId", request_hmac = $4::bytea as "isSame", encode(secret_digest, 'hex') as "secretDigest"
    from hookwright.creation_keys
    where tenant_id = $1 and api_key_id = $2 and key = $3
      and created_at > now() - interval '${CREATION_KEY_HOURS} hours'`,
};

/**
 * The webhook that the same request has created before, with its secret, which must still be that of its creation.
 *
 * @param unit has locked the tenant: another request with the same key has committed, or begins later
 * @returns null: the key is new
 * @throws ApiError idempotency_key_reused, webhook_deleted, secret_rotated
 */
export async function findCreated(
  { em, sql }: Pick<UnitOfWork, 'em' | 'sql'>,
  { tenantId, apiKeyId, key, requestHmac }: KeyedCreation,
): Promise<Webhook | null> {
  type Row = { webhookId: string; isSame: boolean; secretDigest: string };
  const [found] = await query<Row>(sql, findStatement, [tenantId, apiKeyId, key, requestHmac]);
  if (found === undefined) {
    return null;
  }
  const what = `The idempotency key has created webhook ${found.webhookId}`;
  if (!found.isSame) {
    const detail = `${what}, by a request with other values. Use a new key for each webhook.`;
    throw new ApiError('idempotency_key_reused', detail);
  }
  const webhook = await em.findOne(Webhook, { id: Number(found.webhookId) }, { populate: ['sealedSecret'] });
  if (webhook === null) {
    throw new ApiError('webhook_deleted', `${what}, which was deleted since. Use a new key.`);
  }
  if (digestOf(webhook).toString('hex') !== found.secretDigest) {
    throw new ApiError('secret_rotated', `${what}, whose secret was rotated since. The new one is not shown again.`);
  }
  return webhook;
}

/** An old row of the same key may be there still: housekeeping runs hourly. */
const keepStatement = {
  text: `
    insert into hookwright.creation_keys (tenant_id, api_key_id, key, request_hmac, webhook_id, secret_digest)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (tenant_id, api_key_id, key) do update
      set request_hmac = excluded.request_hmac, webhook_id = excluded.webhook_id,
          secret_digest = excluded.secret_digest, created_at = excluded.created_at`,
};

/** Keeps the key of a creation, in its transaction. */
export async function keepCreationKey(
  sql: SqlTarget,
  { tenantId, apiKeyId, key, requestHmac }: KeyedCreation,
  webhook: { id: number; sealedSecret: Buffer },
): Promise<void> {
  await query(sql, keepStatement, [tenantId, apiKeyId, key, requestHmac, webhook.id, digestOf(webhook)]);
}

const digestOf = ({ sealedSecret }: { sealedSecret: Buffer }): Buffer =>
  createHash('sha256').update(sealedSecret).digest();
