import { randomBytes } from 'node:crypto';
import type { Services } from '../../src/api/context/context.js';
import { openServices } from '../../src/api/services.js';
import type { Emit } from '../../src/domain/events/emit.js';
import { SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { createPortalSession } from '../../src/operations/portal/create-portal-session.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { tenantQuery } from '../../src/platform/database/tenant-database.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { watchedLog } from './plaintext.js';

/** A clock that a test sets ahead. */
export class TestClock {
  #ahead = 0;

  readonly monotonic = (): number => performance.now() + this.#ahead;

  advance(ms: number): void {
    this.#ahead += ms;
  }
}

/** Tests ask faster than customers do, all from one address and with the same keys. */
export const unlimited = {
  MANAGEMENT_RATE_MAX: '100000',
  MANAGEMENT_BURST_MAX: '1000000',
  KEY_FAILURES_RATE_MAX: '100000',
  ANONYMOUS_RATE_MAX: '100000',
};

interface TestServiceOptions {
  /** Environment variables. */
  settings?: Record<string, string> | undefined;
  clock?: (() => Date) | undefined;
  now?: (() => number) | undefined;
  /** Default: that of the database's owner. */
  role?: string;
}

/** Services on a migrated database. Close them with `services.db.close()`. */
export function openTestServices(
  databaseUrl: string,
  { settings, clock = () => new Date(), now = () => performance.now(), role }: TestServiceOptions = {},
): Promise<Services> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ...unlimited,
    ...settings,
  });
  return openServices({
    config,
    databaseUrl,
    encryptionKeys: config.encryptionKeys ?? [],
    log: watchedLog(),
    clock,
    now,
    ...(role === undefined ? {} : { role }),
  });
}

export interface TestTenant {
  id: number;
  /** A key with these scopes; all of a tenant's, unless told otherwise. */
  key: string;
  keyId: number;
}

let made = 0;

/** A tenant with a key. */
export async function makeTenant(services: Services, scopes: readonly Scope[] = SCOPES): Promise<TestTenant> {
  const name = `tenant ${++made} ${randomBytes(4).toString('hex')}`;
  const { id } = await createTenant(services.db, services.vault, name, commandLine);
  const key = await makeKey(services, id, scopes);
  return { id, key: key.key, keyId: key.id };
}

export function makeKey(services: Services, tenantId: number | null, scopes: readonly Scope[]) {
  return createApiKey(services.db, services.random, { tenantId, name: 'test', scopes, by: commandLine });
}

/** A session that may look, and was not opened. @returns its number */
export async function makePortalSession({ db, random }: Services, tenantId: number): Promise<number> {
  const { apiKey } = await createPortalSession(db, random, {
    tenantId,
    expiresInSeconds: 60,
    settings: {
      capabilities: ['VIEW'],
      parentOrigins: [],
      locale: null,
      theme: 'AUTO',
      returnUrl: null,
      keysExpireInSeconds: null,
    },
    by: commandLine,
  });
  return apiKey.id;
}

/** Past the API, so any url will do. */
export function makeWebhook(
  services: Services,
  tenantId: number,
  { url = 'https://receiver.example.com/', eventTypes = ['*'] }: { url?: string; eventTypes?: string[] } = {},
): Promise<{ id: number; secret: string }> {
  const webhook = { tenantId, url, eventTypes, webhooksMax: 1_000_000, actor: commandLine };
  return createWebhook(services.db, services.vault, services.random, webhook);
}

export const couponPayload = { code: 'SUMMER', discount_type: 'percent' };

/** An event for `Emitter`, of type coupon.applied to all subscribers unless the changes say otherwise. */
export const couponEmit = (tenantId: number, changes: Partial<Emit> = {}): Emit => ({
  tenantId,
  eventType: 'coupon.applied',
  body: JSON.stringify(couponPayload),
  idempotencyKey: null,
  onlyWebhookId: null,
  ...changes,
});

/** Emits `count` events of type coupon.applied past the API, in one transaction. Answers with their ids. */
export async function emitMany(
  services: Services,
  tenantId: number,
  count: number,
  onlyWebhookId: number | null = null,
): Promise<number[]> {
  const results = await services.emitter.emit(Array(count).fill(couponEmit(tenantId, { onlyWebhookId })));
  return results.map((result) => (result.refused === null ? result.eventId : Number.NaN));
}

export async function countEvents({ db }: Services, tenantId: number): Promise<number> {
  const text = 'select count(*)::integer as events from hookwright.events where tenant_id = $1';
  const [row] = await tenantQuery<{ events: number }>(db.pool, tenantId, { text }, [tenantId]);
  return row!.events;
}
