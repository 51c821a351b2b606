import { randomBytes } from 'node:crypto';
import { LIMIT_NAMES } from '../domain/fields/limit-fields.js';
import { tenantFields } from '../domain/fields/tenant-fields.js';
import { INSTALLATION_TENANT } from '../domain/installation/installation-tenant.js';
import { GRANTABLE_SCOPES, PLATFORM_ADMIN, PLATFORM_SCOPES, SCOPES, type Scope } from '../domain/keys/scopes.js';
import { formatTimestamp } from '../domain/text/timestamp.js';
import { ApiKey } from '../entities/api-key.js';
import { Tenant } from '../entities/tenant.js';
import { movedTenants } from '../operations/cells/move/route.js';
import { knownOf } from '../operations/fields/kind-rules.js';
import { changedValues } from '../operations/fields/rules.js';
import { requireMigrated } from '../operations/installation/check-readiness.js';
import { createApiKey } from '../operations/keys/create-api-key.js';
import { revokeApiKey } from '../operations/keys/revoke-api-key.js';
import { commandLine } from '../operations/rows/audit.js';
import { tenantOfExternalId } from '../operations/rows/external-ids.js';
import { SecretVault } from '../operations/secrets/secret-vault.js';
import { createTenant } from '../operations/tenants/create-tenant.js';
import { deleteTenant, ERASED_AFTER_RETENTION_DAYS } from '../operations/tenants/delete-tenant.js';
import { displayName } from '../operations/tenants/display-name.js';
import { updateTenant } from '../operations/tenants/update-tenant.js';
import { type Database, openDatabase } from '../platform/database/database.js';
import { UNFILTERED } from '../platform/database/tenant-database.js';
import { thisProgram } from '../platform/node/this-program.js';
import { type Config, readConfig } from '../platform/settings/config.js';
import { withDatabaseUrl } from './database-url.js';
import { encryptionKeysOf } from './encryption-keys.js';
import { print, printList } from './print.js';
import type { TenantNamed } from './tenant-named.js';

/** Commands work on the database directly, also while the service runs: their user has its password anyway. */

interface Administration {
  config: Config;
  db: Database;
  vault(): Promise<SecretVault>;
}

/**
 * Works on the database, for all tenants. It never migrates: processes of another version may be running over it, and
 * a command that only reads changes nothing.
 *
 * @throws Error with a sentence when the database lacks a migration
 */
export async function administer(
  work: (administration: Administration) => Promise<void>,
  { needsEncryptionKeys = false } = {},
): Promise<void> {
  const config = readConfig(process.env, { needsEncryptionKeys });
  await withDatabaseUrl(config, async (url) => {
    const db = await openDatabase(url, { poolMax: 2, onError: () => {} });
    try {
      await requireMigrated(db);
      await work({ config, db, vault: async () => new SecretVault(db, await encryptionKeysOf(config, db)) });
    } finally {
      await db.close();
    }
  });
}

/** Runs a command that reads or writes secrets. */
export const administerSecrets = (work: (administration: Administration) => Promise<void>): Promise<void> =>
  administer(work, { needsEncryptionKeys: true });

interface TenantOptions {
  externalId?: string | false;
}

interface TenantChanges extends TenantOptions, Partial<Record<(typeof LIMIT_NAMES)[number], number | null>> {
  reason?: string;
}

export async function createTenantCommand(name: string, { externalId }: TenantOptions): Promise<void> {
  const wanted = nameFrom(name);
  await administerSecrets(async ({ db, vault }) => {
    const settings = { externalId: externalId || null };
    const { id } = await createTenant(db, await vault(), wanted, commandLine, settings);
    print(`Tenant ${id} "${wanted}" is made. A key for it: ${thisProgram} key create <name> --tenant ${id}`);
  });
}

export async function listTenants(): Promise<void> {
  await administer(async ({ db }) => {
    const listed = { deletedAt: null, id: { $gt: INSTALLATION_TENANT } };
    const tenants = await db.orm.em.fork().find(Tenant, listed, { ...UNFILTERED, orderBy: { id: 'asc' } });
    const moved = await movedTenants(db.pool);
    printList(
      ['TENANT', 'NAME', 'MADE', 'EXTERNAL ID', ...(moved.size > 0 ? ['LIVES'] : [])],
      tenants.map(({ id, name, createdAt, externalId }) => [
        ...[id, name, formatTimestamp(createdAt)],
        ...(externalId === null && !moved.has(id) ? [] : [externalId ?? '']),
        ...(moved.has(id) ? [`in cell ${moved.get(id)}`] : []),
      ]),
      `There are no tenants. Make one: ${thisProgram} tenant create <name>`,
    );
  });
}

/** @throws Error with a sentence when no tenant has the external id. Whether there is one of a number is seen later. */
async function numberOf(db: Database, named: TenantNamed): Promise<number> {
  const id = typeof named === 'number' ? named : await tenantOfExternalId(db, named);
  if (id === null) {
    throw new Error(`There is no tenant with the external id ${named} (${thisProgram} tenant list shows them).`);
  }
  return id;
}

/** `administer` about one tenant. */
export const administerTenant = (
  named: TenantNamed,
  work: (id: number, administration: Administration) => Promise<void>,
): Promise<void> => administer(async (all) => work(await numberOf(all.db, named), all));

export async function setTenant(named: TenantNamed, { externalId, ...given }: TenantChanges): Promise<void> {
  if (externalId === undefined && Object.keys(given).length === 0) {
    throw new Error('Nothing to change: give --external-id <id> or --no-external-id, or a limit (--help shows them).');
  }
  await administerTenant(named, async (id, { db, config }) => {
    const { data: limits, error } = changedValues(tenantFields, knownOf(config)).safeParse({ limits: given });
    if (error !== undefined) {
      const [issue] = error.issues;
      throw new Error(`${String(issue?.path.at(-1))} ${issue?.message}.`);
    }
    const other = externalId === undefined ? {} : { externalId: externalId || null };
    const tenant = await updateTenant(db, id, { ...other, ...limits }, commandLine);
    if (externalId !== undefined) {
      print(
        externalId ? `Tenant ${id} has the external id ${externalId} now.` : `Tenant ${id} has no external id now.`,
      );
    }
    if (Object.keys(given).length > 0) {
      print(limitsText(tenant));
    }
  });
}

function limitsText(tenant: Tenant): string {
  const set = LIMIT_NAMES.flatMap((name) => (tenant[name] === null ? [] : [`${name} ${tenant[name]}`]));
  return set.length === 0
    ? `Tenant ${tenant.id} has the limits of the installation now.`
    : `Tenant ${tenant.id} is limited now: ${set.join(', ')}. All processes follow within seconds.`;
}

export async function renameTenant(named: TenantNamed, name: string): Promise<void> {
  const wanted = nameFrom(name);
  await administerTenant(named, async (id, { db }) => {
    await updateTenant(db, id, { name: wanted }, commandLine);
    print(`Tenant ${id} is called "${wanted}" now.`);
  });
}

export async function deleteTenantCommand(named: TenantNamed, name: string): Promise<void> {
  const wanted = nameFrom(name);
  await administerTenant(named, async (id, { db, config }) => {
    const { webhookIds, apiKeyIds } = await deleteTenant(db, { tenantId: id, name: wanted }, commandLine);
    print(
      `Tenant ${id} "${wanted}" is deleted. Webhooks deleted: ${webhookIds.length}; keys revoked: ${apiKeyIds.length}, which every process refuses within 5 seconds. What is left of it is erased in ${config.retentionDays + ERASED_AFTER_RETENTION_DAYS} days (RETENTION_DAYS and ${ERASED_AFTER_RETENTION_DAYS}).`,
    );
  });
}

interface KeyOptions {
  tenant?: TenantNamed;
  platform?: boolean;
  scopes?: string;
  expiresIn?: number;
}

export async function createKey(name: string, options: KeyOptions): Promise<void> {
  if (options.tenant === undefined && !options.platform) {
    throw new Error(`Say whom the key is for: --tenant <id> (${thisProgram} tenant list shows them) or --platform.`);
  }
  const wanted = nameFrom(name);
  await administer(async ({ db }) => {
    const { id, key } = await createApiKey(db, randomBytes, {
      tenantId: options.tenant === undefined ? null : await numberOf(db, options.tenant),
      name: wanted,
      scopes: options.platform
        ? scopesFrom(options.scopes, PLATFORM_SCOPES, [PLATFORM_ADMIN])
        : scopesFrom(options.scopes, GRANTABLE_SCOPES, SCOPES),
      by: commandLine,
      ...(options.expiresIn === undefined ? {} : { expiresInSeconds: options.expiresIn }),
    });
    process.stderr.write(`Key ${id} "${wanted}" is made. It is shown this once:\n`);
    print(key);
  });
}

function nameFrom(text: string): string {
  const { data, error } = displayName.safeParse(text);
  if (data === undefined) {
    throw new Error(`The name ${error?.issues[0]?.message ?? 'is not one'}.`);
  }
  return data;
}

function scopesFrom(text: string | undefined, allowed: readonly Scope[], usual: readonly Scope[]): Scope[] {
  const scopes = [...new Set(text?.split(',').map((scope) => scope.trim()) ?? usual)];
  const unknown = scopes.filter((scope) => !(allowed as readonly string[]).includes(scope));
  if (unknown.length > 0) {
    const named = unknown.map((scope) => `"${scope}"`).join(', ');
    throw new Error(`Unknown scope ${named}; the scopes are ${allowed.join(', ')}.`);
  }
  return scopes as Scope[];
}

export async function listKeys({ tenant: named, platform }: Pick<KeyOptions, 'tenant' | 'platform'>): Promise<void> {
  await administer(async ({ db }) => {
    const tenant = named === undefined ? undefined : await numberOf(db, named);
    const owner = tenant === undefined ? (platform ? { tenantId: null } : {}) : { tenantId: tenant };
    const em = db.orm.em.fork();
    if (tenant !== undefined && (await em.count(Tenant, { id: tenant, deletedAt: null }, UNFILTERED)) === 0) {
      throw new Error(`There is no tenant ${tenant} (${thisProgram} tenant list shows them).`);
    }
    const keys = await em.find(ApiKey, { ...owner, portalId: null }, { ...UNFILTERED, orderBy: { id: 'asc' } });
    const [{ now }] = await em.execute<[{ now: string }]>('select now() as now');
    printList(
      ['KEY', 'FOR', 'NAME', 'STATE', 'SCOPES', 'MADE', 'LAST USED'],
      keys.map((key) => [
        key.id,
        ownerOf(key),
        key.name,
        stateOf(key, new Date(now)),
        key.scopes.join(','),
        formatTimestamp(key.createdAt),
        key.lastUsedAt === null ? 'never' : formatTimestamp(key.lastUsedAt),
      ]),
      'There are no keys.',
    );
  });
}

const ownerOf = ({ tenantId }: ApiKey) => (tenantId === null ? 'platform' : `tenant ${tenantId}`);

function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt !== null) {
    return `revoked ${formatTimestamp(revokedAt)}`;
  }
  if (expiresAt === null) {
    return 'valid';
  }
  return `${expiresAt > now ? 'valid until' : 'expired'} ${formatTimestamp(expiresAt)}`;
}

export async function revokeKey(id: number): Promise<void> {
  await administer(async ({ db }) => {
    const key = await db.orm.em.fork().findOne(ApiKey, { id }, UNFILTERED);
    await revokeApiKey(db, key?.tenantId ?? null, id, commandLine);
    print(`Key ${id} is revoked; every process refuses it within 5 seconds.`);
  });
}
