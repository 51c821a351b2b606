import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFirstTenant } from '../../src/commands/first-start.js';
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
