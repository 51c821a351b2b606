import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { API_ROLE } from '../../src/database/tenant-database.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { dropDatabase, onServer } from '../support/on-server.js';

test('a login that may not make roles migrates, when an administrator has made them and granted the one of the API', async () => {
  const { url: serverUrl } = inject('testPostgres');
  const name = `owner_${randomBytes(4).toString('hex')}`;
  const administrator = new pg.Client({ connectionString: serverUrl });
  await administrator.connect();
  try {
    await administrator.query(`create role ${name} login password '${name}' in role ${API_ROLE}`);
    await administrator.query(`grant ${name} to current_user`);
    await administrator.query(`create database ${name} owner ${name}`);
    const url = new URL(serverUrl);
    Object.assign(url, { username: name, password: name, pathname: name });
    expect(await migrate(url.href)).toEqual({ outboxRole: true });
    expect(await migrate(url.href)).toEqual({ outboxRole: true });
  } finally {
    await dropDatabase(administrator, name);
    await administrator.query(`drop role ${name}`);
    await administrator.end();
  }
});

test('a database that is not in UTF-8 is refused in a sentence, before anything is made in it', async () => {
  const { url: serverUrl } = inject('testPostgres');
  const name = `latin_${randomBytes(4).toString('hex')}`;
  await onServer(serverUrl, async (client) => {
    await client.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    try {
      const url = new URL(serverUrl);
      url.pathname = name;
      await expect(migrate(url.href)).rejects.toThrow(
        'The database has the encoding LATIN1, which not every payload can be written in.',
      );
    } finally {
      await dropDatabase(client, name);
    }
  });
});

test('a database that is set to turn row security off is migrated all the same', async () => {
  const { url: serverUrl, databasePrefix } = inject('testPostgres');
  const name = `${databasePrefix}${randomBytes(4).toString('hex')}`;
  await onServer(serverUrl, async (client) => {
    await client.query(`create database ${name}`);
    try {
      await client.query(`alter database ${name} set row_security = off`);
      const url = new URL(serverUrl);
      url.pathname = name;
      expect(await migrate(url.href)).toEqual({ outboxRole: true });
      await onServer(url.href, async (migrated) => {
        const { rows } = await migrated.query(`select from hookwright.partitions_before('deliveries', '2200-01-01')`);
        expect(rows).toHaveLength(16); // yesterday, today and two weeks ahead
      });
    } finally {
      await dropDatabase(client, name);
    }
  });
});
