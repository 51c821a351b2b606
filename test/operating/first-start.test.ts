import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFirstTenant, workingKeyFile } from '../../src/commands/first-start.js';
import { formatApiKey, parseApiKey } from '../../src/domain/keys/api-key.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createTestDatabase } from '../support/database.js';
import { openTestServices } from '../support/factories.js';
import { temporaryFolder } from '../support/temporary-folder.js';

test('the first key of a new installation takes the place of one that the folder has from an earlier installation', async () => {
  const { url, drop } = await createTestDatabase();
  const services = await openTestServices(url);
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'api-key');
  writeFileSync(file, 'hw_1_of_before\n');
  const installation = { ...services, config: { ...services.config, embedded: true, dataDir } };
  const key = await makeFirstTenant(installation);
  expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
  expect(await makeFirstTenant(installation)).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
  await services.db.close();
  await drop();
});

test('the start names the key of the folder only while that opens the installation', async () => {
  const { url, drop } = await createTestDatabase();
  const services = await openTestServices(url);
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'api-key');
  const installation = { ...services, config: { ...services.config, embedded: true, dataDir } };
  expect(await workingKeyFile(installation)).toBeNull();
  const key = (await makeFirstTenant(installation))!;
  expect(await workingKeyFile(installation)).toBe(file);

  writeFileSync(file, `${formatApiKey(parseApiKey(key)!.id, randomBytes(32))}\n`);
  expect(await workingKeyFile(installation)).toBeNull();
  writeFileSync(file, `${key}\n`);
  const { tenantId } = await services.authenticator.authenticate(`Bearer ${key}`, '127.0.0.1');
  await revokeApiKey(services.db, tenantId, parseApiKey(key)!.id, commandLine);
  const nextStart = await openTestServices(url);
  expect(await workingKeyFile({ ...nextStart, config: installation.config })).toBeNull();
  await nextStart.db.close();
  await services.db.close();
  await drop();
});

test('over a Postgres of one’s own the first start makes no tenant, and says how to make one', async () => {
  const { url, drop } = await createTestDatabase();
  const services = await openTestServices(url);
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line) } as unknown as typeof services.log;
  const installation = { ...services, log, config: { ...services.config, embedded: false } };
  expect(await makeFirstTenant(installation)).toBeNull();
  expect(lines).toEqual([expect.stringContaining('hookwright tenant create <name>')]);
  await createTenant(services.db, services.vault, 'acme', commandLine);
  expect(await makeFirstTenant(installation)).toBeNull();
  expect(lines).toHaveLength(1);
  await services.db.close();
  await drop();
});
