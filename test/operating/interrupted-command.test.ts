import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.js';
import { isPostgres } from '../../src/platform/embedded-postgres/postgres-process.js';
import { eventually } from '../support/eventually.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const dataDir = join(temporaryFolder(), 'data');
beforeAll(async () => {
  const installation = await startEmbeddedPostgres({ dataDir, ephemeral: true });
  await installation.stop();
});

/** A command over a stopped all-in-one installation, whose work takes for ever. */
const source = `
  import { readFileSync } from 'node:fs';
  import { withDatabaseUrl } from './dist/src/cli/database-url.js';
  import { readConfig } from './dist/src/platform/settings/config.js';
  const dataDir = ${JSON.stringify(dataDir)};
  await withDatabaseUrl(readConfig({ DATA_DIR: dataDir }), () => {
    process.stdout.write(readFileSync(dataDir + '/pg/postmaster.pid'));
    return new Promise((resolve) => setInterval(() => {}, 60_000));
  });`;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  'a command that %s breaks off ends with %i, and takes the Postgres that it has started with it',
  async (signal, expected) => {
    const args = ['--input-type=module', '--eval', source];
    const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pidFile] = (await once(command.stdout, 'data')) as [Buffer];
    const serverPid = Number.parseInt(pidFile.toString(), 10);
    expect(isPostgres(serverPid)).toBe(true);
    command.kill(signal);
    expect(await once(command, 'exit')).toEqual([expected, null]);
    await eventually(() => !isPostgres(serverPid));
  },
);
