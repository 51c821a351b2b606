import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFirstTenant, workingKeyFile } from '../../src/cli/first-start.js';
import { formatApiKey, parseApiKey } from '../../src/domain/keys/api-key.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { shownApiKeyFile } from '../../src/platform/settings/api-key-file.js';
import { createTestDatabase } from '../support/database.js';
import { openTestServices } from '../support/factories.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let url: string;
let drop: () => Promise<void>;
let services: Awaited<ReturnType<typeof openTestServices>>;
const dataDir = temporaryFolder();
const file = join(dataDir, 'api-key');
/** @param embedded whether the installation brings its own Postgres */
const installed = (embedded = true) => ({ ...services, config: { ...services.config, embedded, dataDir } });
beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  services = await openTestServices(url);
  rmSync(file, { force: true });
});
afterEach(async () => {
  await services.db.close();
  await drop();
});

test('the first key of a new installation takes the place of one that the folder has from an earlier installation', async () => {
  writeFileSync(file, 'hw_1_of_before\n');
  const installation = installed();
  expect(shownApiKeyFile(installation.config)).toBe(file);
  expect(shownApiKeyFile(installed(false).config)).toBeNull();
  const key = await makeFirstTenant(installation);
  expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
  expect(await makeFirstTenant(installation)).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
});

test('the start names the key of the folder only while that opens the installation', async () => {
  const installation = installed();
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
});

test('over a Postgres of one’s own the first start makes no tenant, and says how to make one', async () => {
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line) } as unknown as typeof services.log;
  const installation = { ...installed(false), log };
  expect(await makeFirstTenant(installation)).toBeNull();
  expect(lines).toEqual([expect.stringContaining('hookwright tenant create <name>')]);
  await createTenant(services.db, services.vault, 'acme', commandLine);
  expect(await makeFirstTenant(installation)).toBeNull();
  expect(lines).toHaveLength(1);
});
