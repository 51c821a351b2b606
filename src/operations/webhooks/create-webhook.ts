import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { endpointsLimited, webhooksInWords } from '../../domain/limits/tenant-limits.js';
import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import type { Tenant } from '../../entities/tenant.js';
import { type NewWebhookSettings, Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { allocateId, nextOptionsVersion } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { requireFreeExternalId, webhookConflict } from '../rows/external-ids.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import type { NewSigningKey, SecretVault } from '../secrets/secret-vault.js';
import { addFirstKey } from '../signing-keys/change-signing-keys.js';
import { requireBoundSecrets } from './bound-secrets.js';
import { beginVerification } from './change-verification.js';
import { findCreated, type KeyedCreation, keepCreationKey } from './creation-keys.js';
import { makeInstallationTenant } from './installation-tenant.js';
import { auditedSecrets, NO_OWN, type OwnSecrets, overlapEnd } from './own-secrets.js';
import { auditedSettings, hasDefaults, ownSettings, readSettings, sealSettings, writeOptionsRow } from './settings.js';
import { requireSettling } from './settle-rules.js';
import { markPaused, markUnverified } from './switch-webhook.js';

interface NewWebhook extends NewWebhookSettings {
  tenantId: number;
  own?: OwnSecrets;
  /** The release that it is pinned to where its settings name none. It is no part of an idempotent request. */
  pin?: string | null;
  /** It is made paused, and holds its events so long. Null: it is active at once. */
  paused?: { holdHours: number } | null;
  /** The endpoint must prove that it wants deliveries, which are held so long. Null: it need not. */
  challenge?: { holdHours: number } | null;
  /** Becomes the tenant's, if it has none. Null: nothing of the webhook is signed by one. */
  signingKey?: NewSigningKey | null;
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
  vault: Pick<SecretVault, 'seal' | 'open' | 'hmac' | 'newDataKey'>,
  random: (bytes: number) => Buffer,
  wanted: NewWebhook,
): Promise<{ id: number; secret: string; webhook: Webhook }> {
  const { tenantId, webhooksMax, actor, idempotencyKey = null, own = NO_OWN, ...others } = wanted;
  const { paused = null, challenge = null, signingKey = null, pin = null, ...settings } = others;
  if (tenantId === INSTALLATION_TENANT) {
    await makeInstallationTenant(db, vault);
  }
  const id = await allocateId(db.pool, 'webhooks');
  const secret = own.secret ?? formatSecret(random(SECRET_BYTES));
  const sealedSecret = await vault.seal(tenantId, id, secret);
  const previousSealedSecret = own.previousSecret === null ? null : await vault.seal(tenantId, id, own.previousSecret);
  const pinned = pin === null || settings.release != null ? settings : { ...settings, release: pin };
  const stored = await sealSettings(vault, tenantId, id, pinned);
  const state = paused === null ? {} : { active: false };
  const request = { ...settings, ...own, ...state };
  const creation = await keyedCreation(vault, { tenantId, actor, idempotencyKey, request });
  const making = managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const tenant = await lockTenant(em, tenantId);
    const earlier = creation && (await findCreated({ em, sql }, creation));
    if (earlier !== null) {
      return earlier;
    }
    await requireFreeExternalId(sql, tenantId, id, settings.externalId);
    if ((await em.count(Webhook)) >= (tenant.endpointsMax ?? webhooksMax)) {
      throw limitReached(tenant, webhooksMax);
    }
    if (creation !== null) {
      await keepCreationKey(sql, creation, { id, sealedSecret });
    }
    const sealed = { sealedSecret, previousSealedSecret };
    const created = await insertWebhook(unit, tenant, { id, ...sealed, own, stored: given(stored), paused, challenge });
    if (challenge !== null) {
      await em.flush(); // its row comes first
      await beginVerification(sql, created);
    }
    if (signingKey !== null) {
      await addFirstKey(unit, tenantId, signingKey);
    }
    const after = auditedCreation(created, Object.keys(given(stored)), own);
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

const auditedCreation = (created: Webhook, names: readonly string[], own: OwnSecrets) => ({
  ...auditedSettings(readSettings(created, names)),
  ...auditedSecrets(own, created),
  ...(created.active === false ? { active: false } : {}),
});

function limitReached({ endpointsMax }: Tenant, webhooksMax: number): ApiError {
  const detail =
    endpointsMax === null
      ? `A tenant may have ${webhooksInWords(webhooksMax)}; delete one first.`
      : endpointsLimited(endpointsMax);
  return new ApiError('webhook_limit_reached', detail);
}

interface NewRow extends Required<Pick<NewWebhook, 'own' | 'paused' | 'challenge'>> {
  id: number;
  sealedSecret: Buffer;
  previousSealedSecret: Buffer | null;
  /** The settings that are given, with their secrets sealed. */
  stored: Parameters<typeof requireBoundSecrets>[2];
}

/** Writes the row of a new webhook, and that of its options if it has any. */
async function insertWebhook(unit: UnitOfWork, tenant: Tenant, row: NewRow): Promise<Webhook> {
  const { id, sealedSecret, previousSealedSecret, own, stored, paused, challenge } = row;
  const { em, sql, now } = unit;
  const created = em.create(Webhook, { id, tenantId: tenant.id, ...ownSettings(stored), sealedSecret });
  if (previousSealedSecret !== null) {
    const until = overlapEnd(own, now);
    Object.assign(created, { previousSealedSecret, overlapEndsAt: until, previousSecretExpiresAt: until });
  }
  if (paused !== null) {
    markPaused(unit, created, paused.holdHours);
  } else if (challenge !== null) {
    markUnverified(unit, created, challenge.holdHours);
  }
  created.options = null;
  created.tenant = tenant;
  created.moving = tenant.moving !== null;
  await writeOptionsRow(unit, created, stored);
  if (hasDefaults(tenant)) {
    created.optionsVersion ??= await nextOptionsVersion(sql);
  }
  requireBoundSecrets(created, null, stored);
  requireSettling(created, stored);
  return created;
}

interface Requested {
  tenantId: number;
  actor: Actor;
  idempotencyKey: string | null;
  /** With its secrets: another one is another request. */
  request: object;
}

/** Null: the request has no idempotency key, or nobody whose key it is. */
async function keyedCreation(
  vault: Pick<SecretVault, 'hmac'>,
  { tenantId, actor: { keyId }, idempotencyKey, request }: Requested,
): Promise<KeyedCreation | null> {
  return idempotencyKey === null || keyId === null
    ? null
    : { tenantId, apiKeyId: keyId, key: idempotencyKey, requestHmac: await vault.hmac(tenantId, textOf(request)) };
}

/** Without the optional settings that are left out. */
const given = (settings: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null));

/** The same text for the same settings, however a caller has written them. */
const textOf = (settings: object): string =>
  JSON.stringify(Object.entries(given(settings)).sort(([a], [b]) => (a < b ? -1 : 1)));
