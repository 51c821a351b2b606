import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { requireMigrated } from '../../src/operations/installation/check-readiness.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { dropDatabase, onServer } from '../support/on-server.js';

test('a database of a build from before the first release is refused in a sentence, and left as it was', async () => {
  const { url: serverUrl, databasePrefix } = inject('testPostgres');
  const name = `${databasePrefix}${randomBytes(4).toString('hex')}`;
  await onServer(serverUrl, async (client) => {
    await client.query(`create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = name;
    const database = new pg.Client({ connectionString: url.href });
    try {
      await database.connect();
      await database.query(`
        create schema hookwright;
        create table hookwright.migrations (name text);
        insert into hookwright.migrations values ('0001-tables'), ('0002-ids-and-partitions')`);
      const refused =
        'The tables of this database were made by a build of Hookwright from before its first release, ' +
        'and this version cannot take them over. Export what you need with that build. ' +
        'Then start with a new data folder (DATA_DIR); ' +
        'or, in a database of your own, run: drop schema hookwright, hookwright_jobs cascade;';
      await expect(migrate(url.href)).rejects.toThrow(refused);
      await expect(requireMigrated({ pool: database })).rejects.toThrow(refused);
      const { rows } = await database.query("select nspname from pg_namespace where nspname ~ '^hookwright'");
      expect(rows).toEqual([{ nspname: 'hookwright' }]);

      await database.query('drop schema hookwright cascade');
      expect(await migrate(url.href)).toEqual({ outboxRole: true });
    } finally {
      await database.end();
      await dropDatabase(client, name);
    }
  });
});
