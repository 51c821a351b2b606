import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { EDITION } from '../../migrations/edition.js';
import { migrations } from '../../migrations/index.js';
import { readPendingWork } from '../../src/operations/installation/pending-work.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { runHere } from '../support/command.js';
import { createTestDatabase } from '../support/database.js';
import { dropDatabase, onServer } from '../support/on-server.js';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
const empty = new URL(inject('testPostgres').url);
empty.pathname = `${inject('testPostgres').databasePrefix}${randomBytes(4).toString('hex')}`;
const name = empty.pathname.slice(1);

beforeAll(async () => {
  database = await createTestDatabase();
  await onServer(inject('testPostgres').url, (server) => server.query(`create database ${name}`));
});
afterAll(async () => {
  await onServer(inject('testPostgres').url, (server) => dropDatabase(server, name));
  await database.drop();
});

const change = (sql: string) => onServer(database.url, (client) => client.query(sql));
const pending = async () => (await readPendingWork(database.url)).pending;

describe('what there is to migrate', () => {
  test('is told by exit codes: 0 for nothing, 2 for something, 1 where nobody can tell', async () => {
    const check = (DATABASE_URL: string) => runHere(['migrate', '--check'], { DATABASE_URL });
    const nothing = await check(database.url);
    const everything = await check(empty.href);
    const unknown = await check('postgres://somebody:hush@127.0.0.1:1/nothing');
    expect(nothing).toMatchObject({ code: 0, output: expect.stringMatching(/^Nothing to do/) });
    expect(everything.code).toBe(2);
    expect(everything.output).toContain(
      `To do: ${migrations.map((each) => each.name).join(', ')}, functions (edition ${EDITION}), hookwright_jobs. Run: `,
    );
    expect(unknown).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('cannot be reached') });
    expect(unknown.errors).not.toContain('hush');
    await onServer(empty.href, async (client) => {
      const { rows } = await client.query(`select nspname from pg_namespace where nspname like 'hookwright%'`);
      expect(rows).toEqual([]);
    });
  });

  test('is each migration that the database lacks, and each newer one is named', async () => {
    await change(`delete from hookwright.migrations where name = '0004-access'`);
    await change(`insert into hookwright.migrations (name, executed_at) values ('9999-later', now())`);
    expect(await readPendingWork(database.url)).toEqual({ pending: ['0004-access'], unknown: ['9999-later'] });
    await change(`insert into hookwright.migrations (name, executed_at) values ('0004-access', now())`);
    expect(await readPendingWork(database.url)).toEqual({ pending: [], unknown: ['9999-later'] });
  });

  test('is what the library of jobs lacks, and what we add to its tables', async () => {
    await change('drop index hookwright_jobs.hookwright_jobs_by_owner');
    expect(await pending()).toEqual(['hookwright_jobs (indexes and names of tasks)']);
    // The newest: a version of the library with another one fails here.
    await change('delete from hookwright_jobs.migrations where id = (select max(id) from hookwright_jobs.migrations)');
    expect(await pending()).toEqual([
      expect.stringMatching(/^hookwright_jobs \(migration \d+ of graphile-worker\)$/),
      'hookwright_jobs (indexes and names of tasks)',
    ]);
  });
});

test('a right that no migration gives again is not work, but a fault', async () => {
  const other = await createTestDatabase();
  await onServer(other.url, (client) => client.query(`revoke select on hookwright.webhooks from ${API_ROLE}`));
  await expect(readPendingWork(other.url)).rejects.toThrow(`The role ${API_ROLE} lacks select on webhooks`);
  await other.drop();
});
