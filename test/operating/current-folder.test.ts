import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { heard, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Files that libraries of the program, and libraries like them, look for. */
const CODE = [
  'graphile-worker.config.cjs',
  'graphile-worker.config.js',
  '.graphile-workerrc.js',
  '.config/config.cjs',
  'graphile.config.js',
  'mikro-orm.config.js',
  'pg-native/index.js',
  'node_modules/pg-native/index.js',
];
const OTHERS = [
  'package.json',
  '.graphile-workerrc',
  '.graphile-workerrc.json',
  '.config/graphile-workerrc.yaml',
  '.env',
  '.env.local',
  '.env.production',
  '.pgpass',
  'pg_service.conf',
  'tsconfig.json',
  'crontab',
  'schema.graphql',
];

/** @returns a folder below another, both full of files that show when they are run, or keep their reader waiting */
function trap(): { folder: string; marker: string } {
  const outer = temporaryFolder();
  const folder = join(outer, 'inner');
  const marker = join(outer, 'ran');
  for (const place of [outer, folder]) {
    for (const name of CODE) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'x')`);
    }
    execFileSync(
      'mkfifo',
      OTHERS.map((name) => join(place, name)),
    );
  }
  return { folder, marker };
}

test('no command reads or runs a file of the current folder, or of one above it', { timeout: 120_000 }, async () => {
  const { folder, marker } = trap();
  const { url, drop } = await createTestDatabase();
  const set = {
    DATABASE_URL: url,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    PORT: '0',
    HOST: '127.0.0.1',
    HOME: folder,
  };
  const program = resolve('hookwright');
  const lines = ['--version', 'migrate', 'doctor', 'tenant list', 'key list', 'outbox list', 'keys rewrap', 'start'];
  const run = async (line: string) => {
    const child = startProgram(line.split(' '), set, { program, cwd: folder });
    const said = heard(child);
    const closed = once(child, 'close');
    const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
    if (line === 'start') {
      await eventually(() => said.output.includes('the delivery daemon is running') || child.exitCode !== null, 60_000);
      child.kill('SIGTERM');
    }
    const [code, signal] = await closed;
    clearTimeout(late);
    return [line, code, signal];
  };
  expect(await Promise.all(lines.map(run))).toEqual(
    // The doctor may have something to say about an empty installation.
    lines.map((line) => [line, line === 'doctor' ? expect.any(Number) : 0, null]),
  );
  expect(existsSync(marker)).toBe(false);
  await drop();
});
