import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import { type NewWebhookSettings, Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { allocateId, nextOptionsVersion } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { requireFreeExternalId, webhookConflict } from '../rows/external-ids.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { requireBoundSecrets } from './bound-secrets.js';
import { findCreated, type KeyedCreation, keepCreationKey } from './creation-keys.js';
import { auditedSettings, hasDefaults, ownSettings, readSettings, sealSettings, writeOptionsRow } from './settings.js';

interface NewWebhook extends NewWebhookSettings {
  tenantId: number;
  webhooksMax: number;
  actor: Actor;
  /** The same key and settings of one API key make one webhook in 24 h. */
  idempotencyKey?: string | null;
}

/**
 * Without an idempotency key the secret is shown only in this answer (docs/interface.md, "A webhook"), so no query that
 * could fail follows the commit.
 *
 * @throws ApiError webhook_limit_reached, external_id_taken, not_found for an unknown tenant; idempotency_key_reused,
 *   webhook_deleted, secret_rotated for a key that was used
 */
export async function createWebhook(
  db: HasPool & HasOrm,
  vault: Pick<SecretVault, 'seal' | 'open' | 'hmac'>,
  random: (bytes: number) => Buffer,
  { tenantId, webhooksMax, actor, idempotencyKey = null, ...settings }: NewWebhook,
): Promise<{ id: number; secret: string; webhook: Webhook }> {
  const id = await allocateId(db.pool, 'webhooks');
  const secret = formatSecret(random(SECRET_BYTES));
  const sealedSecret = await vault.seal(tenantId, id, secret);
  const stored = await sealSettings(vault, tenantId, id, settings);
  const creation: KeyedCreation | null =
    idempotencyKey === null || actor.keyId === null
      ? null
      : {
          tenantId,
          apiKeyId: actor.keyId,
          key: idempotencyKey,
          requestHmac: await vault.hmac(tenantId, textOf(settings)),
        };
  const making = managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const tenant = await lockTenant(em, tenantId);
    const earlier = creation && (await findCreated({ em, sql }, creation));
    if (earlier !== null) {
      return earlier;
    }
    await requireFreeExternalId(sql, tenantId, id, settings.externalId);
    if ((await em.count(Webhook)) >= webhooksMax) {
      throw new ApiError('webhook_limit_reached', `A tenant may have ${webhooksMax} webhooks; delete one first.`);
    }
    if (creation !== null) {
      await keepCreationKey(sql, creation, { id, sealedSecret });
    }
    const created = em.create(Webhook, { id, tenantId, ...ownSettings(stored), sealedSecret });
    created.options = null;
    created.tenant = tenant;
    await writeOptionsRow(unit, created, given(stored));
    if (hasDefaults(tenant)) {
      created.optionsVersion ??= await nextOptionsVersion(sql);
    }
    requireBoundSecrets(created, null, given(stored));
    const after = auditedSettings(readSettings(created, Object.keys(given(stored))));
    audit(em, actor, { ...about('WEBHOOK', tenantId, id), action: 'WEBHOOK_CREATED', after });
    return created;
  });
  const webhook = await making.catch(async (error: unknown) => {
    throw await webhookConflict(db, error, tenantId, settings.externalId);
  });
  const isNew = webhook.id === id;
  return {
    id: webhook.id,
    secret: isNew ? secret : await vault.open(tenantId, webhook.id, webhook.sealedSecret),
    webhook,
  };
}

/** Without the optional settings that are left out. */
const given = (settings: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null));

/** The same text for the same settings, however a caller has written them. */
const textOf = (settings: NewWebhookSettings): string =>
  JSON.stringify(Object.entries(given(settings)).sort(([a], [b]) => (a < b ? -1 : 1)));
