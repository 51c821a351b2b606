import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { formatSecret, PREVIOUS_SECRET_DAYS_MAX, SECRET_BYTES } from '../../domain/signing/secret.js';
import { DAY_MS } from '../../domain/text/durations.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { type NewWebhookSettings, Webhook } from '../../entities/webhook.js';
import { ApiError, invalidInput } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { allocateId, nextOptionsVersion } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { requireFreeExternalId, webhookConflict } from '../rows/external-ids.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { NewSigningKey, SecretVault } from '../secrets/secret-vault.js';
import { addFirstKey } from '../signing-keys/change-signing-keys.js';
import { requireBoundSecrets } from './bound-secrets.js';
import { findCreated, type KeyedCreation, keepCreationKey } from './creation-keys.js';
import { makeInstallationTenant } from './installation-tenant.js';
import { auditedSettings, hasDefaults, ownSettings, readSettings, sealSettings, writeOptionsRow } from './settings.js';
import { markPaused } from './switch-webhook.js';

/** Signing secrets that come with a webhook of another service. Null: none; then the service makes the secret. */
export interface OwnSecrets {
  secret: string | null;
  previousSecret: string | null;
  /** Null: 24 hours from now, if there is a previous secret. */
  previousSecretExpiresAt: Date | null;
}

interface NewWebhook extends NewWebhookSettings {
  tenantId: number;
  own?: OwnSecrets;
  /** It is made paused, and holds its events so long. Null: it is active at once. */
  paused?: { holdHours: number } | null;
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
  const { paused = null, signingKey = null, ...settings } = others;
  if (tenantId === INSTALLATION_TENANT) {
    await makeInstallationTenant(db, vault);
  }
  const id = await allocateId(db.pool, 'webhooks');
  const secret = own.secret ?? formatSecret(random(SECRET_BYTES));
  const sealedSecret = await vault.seal(tenantId, id, secret);
  const previousSealedSecret = own.previousSecret === null ? null : await vault.seal(tenantId, id, own.previousSecret);
  const stored = await sealSettings(vault, tenantId, id, settings);
  const request = { ...settings, ...own, ...(paused === null ? {} : PAUSED) };
  const creation = await keyedCreation(vault, { tenantId, actor, idempotencyKey, request });
  const making = managementTransaction(db, tenantId, async (unit) => {
    const { em, sql, now } = unit;
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
    if (previousSealedSecret !== null) {
      const until = overlapEnd(own, now);
      Object.assign(created, { previousSealedSecret, overlapEndsAt: until, previousSecretExpiresAt: until });
    }
    if (paused !== null) {
      markPaused(unit, created, paused.holdHours);
    }
    created.options = null;
    created.tenant = tenant;
    await writeOptionsRow(unit, created, given(stored));
    if (hasDefaults(tenant)) {
      created.optionsVersion ??= await nextOptionsVersion(sql);
    }
    requireBoundSecrets(created, null, given(stored));
    if (signingKey !== null) {
      await addFirstKey(unit, tenantId, signingKey);
    }
    const after = {
      ...auditedSettings(readSettings(created, Object.keys(given(stored)))),
      ...auditedSecrets(own, created),
      ...(paused === null ? {} : PAUSED),
    };
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

/** The state of a webhook that is made paused, in the audit log and the comparison of requests. */
const PAUSED = { active: false };

const NO_OWN: OwnSecrets = { secret: null, previousSecret: null, previousSecretExpiresAt: null };

/** @throws ApiError invalid_input: it is over, or too far */
function overlapEnd({ previousSecretExpiresAt }: OwnSecrets, now: Date): Date {
  const until = previousSecretExpiresAt ?? new Date(now.getTime() + DAY_MS);
  const leftMs = until.getTime() - now.getTime();
  if (leftMs <= 0 || leftMs > PREVIOUS_SECRET_DAYS_MAX * DAY_MS) {
    const detail = `must be later than now, and at most ${PREVIOUS_SECRET_DAYS_MAX} days`;
    throw invalidInput([{ path: ['input', 'previousSecretExpiresAt'], code: 'out_of_range', detail }]);
  }
  return until;
}

/** Says of secrets of another service that they are there, and until when. */
const auditedSecrets = ({ secret, previousSecret }: OwnSecrets, { previousSecretExpiresAt: until }: Webhook) => ({
  ...(secret === null ? {} : { secret: 'own' }),
  ...(previousSecret === null
    ? {}
    : { previousSecret: 'own', previousSecretExpiresAt: until && formatTimestamp(until) }),
});

/** Without the optional settings that are left out. */
const given = (settings: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null));

/** The same text for the same settings, however a caller has written them. */
const textOf = (settings: object): string =>
  JSON.stringify(Object.entries(given(settings)).sort(([a], [b]) => (a < b ? -1 : 1)));
