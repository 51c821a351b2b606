import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../api/context/context.js';
import { SCOPES } from '../domain/keys/scopes.js';
import { ApiError } from '../errors.js';
import { createApiKey } from '../operations/keys/create-api-key.js';
import { service } from '../operations/rows/audit.js';
import { createTenant, hasTenants } from '../operations/tenants/create-tenant.js';
import { thisProgram } from '../platform/node/this-program.js';
import { apiKeyFile } from '../platform/settings/api-key-file.js';
import { writeOnce } from './write-once.js';

/**
 * Gives an empty all-in-one installation a tenant and a key with every tenant scope, kept in `api-key` in the data
 * folder. Over a Postgres of your own it only says how to make them.
 *
 * @returns the key if it was made now, else null
 */
export async function makeFirstTenant(services: Services): Promise<string | null> {
  const { config, db, vault, random, log } = services;
  if (await hasTenants(db)) {
    return null;
  }
  if (!config.embedded) {
    log.info(
      `there is no tenant yet: ${thisProgram} tenant create <name>, then ${thisProgram} key create <name> --tenant <id>`,
    );
    return null;
  }
  const tenant = await createTenant(db, vault, 'default', service);
  const { key } = await createApiKey(db, random, {
    tenantId: tenant.id,
    name: 'first start',
    scopes: SCOPES,
    by: service,
  });
  // Who starts it in a repository of theirs must not commit keys and a database.
  await writeOnce(join(config.dataDir, '.gitignore'), '*\n', config.dataDir);
  await rm(apiKeyFile(config), { force: true }); // of an installation that is no more
  await writeOnce(apiKeyFile(config), `${key}\n`, config.dataDir);
  return key;
}

/** The file in the data folder with a key that works; null when it is not there, or its key has ended. */
export async function workingKeyFile({ config, authenticator }: Services): Promise<string | null> {
  const file = apiKeyFile(config);
  const key = await readFile(file, 'utf8').catch(() => '');
  try {
    await authenticator.authenticate(`Bearer ${key.trim()}`, '127.0.0.1');
    return file;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'unauthenticated') {
      return null;
    }
    throw error;
  }
}
