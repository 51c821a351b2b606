import { randomBytes } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import type pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { apiRights } from '../../migrations/api-rights.js';
import { migrations } from '../../migrations/index.js';
import { rightsOfApi } from '../../src/operations/installation/api-rights.js';
import { requireConnectedAs, requireMigrated } from '../../src/operations/installation/check-readiness.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { reachDatabase } from '../../src/operations/installation/reach-database.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { lockWaitsFor } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';
import { dropDatabase, onServer } from '../support/on-server.js';

interface EmptyDatabase {
  url: string;
  name: string;
  /** Another session of the server. */
  server: pg.Client;
}

/** Runs `work` with a database in which nothing is. @param made what follows `create database name` */
async function withDatabase(made: string, work: (database: EmptyDatabase) => Promise<void>): Promise<void> {
  const { url: serverUrl, databasePrefix } = inject('testPostgres');
  const name = `${databasePrefix}${randomBytes(4).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = name;
  await onServer(serverUrl, async (server) => {
    await server.query(`create database ${name} ${made}`);
    try {
      await work({ url: url.href, name, server });
    } finally {
      await dropDatabase(server, name);
    }
  });
}

const UNRELEASED =
  'The tables of this database were made by a build of Hookwright from before its first release, ' +
  'and this version cannot take them over. Export what you need with that build. ' +
  'Then start with a new data folder (DATA_DIR); ' +
  'or, in a database of your own, run: drop schema hookwright, hookwright_jobs cascade;';

describe('a database', () => {
  test('is migrated by a login that may not make roles, when they are there and the one of the API is granted', async () => {
    await withDatabase('', async ({ url, name, server }) => {
      const login = `owner_${name}`;
      await server.query(`create role ${login} login password '${login}' in role ${API_ROLE}`);
      await server.query(`grant ${login} to current_user; alter database ${name} owner to ${login}`);
      const asLogin = Object.assign(new URL(url), { username: login, password: login }).href;
      expect(await migrate(asLogin)).toMatchObject({ outboxRole: true });
      expect(await migrate(asLogin)).toMatchObject({ outboxRole: true });
      await dropDatabase(server, name);
      await server.query(`drop role ${login}`);
    });
  });

  test('that is not in UTF-8 is refused in a sentence, before anything is made in it', async () => {
    await withDatabase(`encoding 'LATIN1' locale 'C' template template0`, async ({ url }) => {
      await expect(migrate(url)).rejects.toThrow(
        'The database has the encoding LATIN1, which not every payload can be written in.',
      );
    });
  });

  test('that is set to turn row security off is migrated all the same', async () => {
    await withDatabase('', async ({ url, name, server }) => {
      await server.query(`alter database ${name} set row_security = off`);
      expect(await migrate(url)).toMatchObject({ outboxRole: true });
      await onServer(url, async (migrated) => {
        const { rows } = await migrated.query(`select from hookwright.partitions_before('deliveries', '2200-01-01')`);
        expect(rows).toHaveLength(16); // yesterday, today and two weeks ahead
      });
    });
  });

  test('of a build from before the first release is refused in a sentence, and left as it was', async () => {
    await withDatabase('', async ({ url }) => {
      await onServer(url, async (client) => {
        await client.query(`
          create schema hookwright;
          create table hookwright.migrations (name text);
          insert into hookwright.migrations values ('0001-tables'), ('0002-ids-and-partitions')`);
        await expect(migrate(url)).rejects.toThrow(UNRELEASED);
        await expect(requireMigrated({ pool: client })).rejects.toThrow(UNRELEASED);
        const { rows } = await client.query("select nspname from pg_namespace where nspname ~ '^hookwright'");
        expect(rows).toEqual([{ nspname: 'hookwright' }]);
        await client.query('drop schema hookwright cascade');
        expect(await migrate(url)).toMatchObject({ outboxRole: true });
      });
    });
  });
});

class ChangeOfATable extends Migration {
  override up(): void {
    this.addSql('alter table hookwright.deliveries add column more integer not null default 0');
  }
}

describe('beside other sessions', () => {
  test('a database that has all migrations is migrated again beside an application’s long transaction', async () => {
    await using stack = await DeliveryStack.open();
    await using _application = await openTransaction(
      stack.databaseUrl,
      `lock table ${JOBS_TABLE} in row exclusive mode`,
    );
    await expect(migrate(stack.databaseUrl)).resolves.toHaveProperty('outboxRole');
  });

  test('a table that is to be changed is waited for in moments, so that nobody else waits for it', async () => {
    await using stack = await DeliveryStack.open();
    migrations.push({ name: '9999-change-of-a-table', class: ChangeOfATable });
    onTestFinished(() => void migrations.pop());
    await using user = await openTransaction(
      stack.databaseUrl,
      'lock table hookwright.deliveries in row exclusive mode',
    );
    const migrating = migrate(stack.databaseUrl);
    const waits = lockWaitsFor('AccessExclusiveLock');
    for (let times = 0; times < 2; times += 1) {
      await eventually(async () => (await stack.rows(waits)).length > 0);
      await eventually(async () => (await stack.rows(waits)).length === 0);
    }
    await user.commit();
    await migrating;
    expect(await stack.rows('select more from hookwright.deliveries')).toEqual([]);
  });

  test('one that another process is migrating is waited for, and that is said', async () => {
    await using stack = await DeliveryStack.open();
    await using other = await openTransaction(
      stack.databaseUrl,
      "select pg_advisory_xact_lock(hashtextextended('hookwright.migrate', 0))",
    );
    const waiting = Promise.withResolvers<void>();
    const migrating = migrate(stack.databaseUrl, waiting.resolve);
    await waiting.promise;
    await other.commit();
    await expect(migrating).resolves.toHaveProperty('outboxRole');
  });

  test('gives the API the rights that it needs, and is not called migrated while it lacks one', async () => {
    await using stack = await DeliveryStack.open();
    expect((await rightsOfApi(stack.services.db.pool)).sort()).toEqual([...apiRights].sort());
    await stack.rows(
      `revoke usage on schema hookwright from ${API_ROLE}; drop policy one_tenant on hookwright.webhooks`,
    );
    const sentence = 'lacks usage on schema hookwright, policy webhooks (one_tenant). Most likely a dump was restored';
    await expect(migrate(stack.databaseUrl)).rejects.toThrow(sentence);
    await expect(reachDatabase(stack.databaseUrl, 'api')).rejects.toThrow(sentence);
  });

  test('whose policies name another login is refused to the daemon and to commands', async () => {
    await using stack = await DeliveryStack.open();
    await stack.rows('alter policy all_tenants on hookwright.events to hookwright_api');
    await expect(reachDatabase(stack.databaseUrl, 'owner')).resolves.toBeUndefined();
    await stack.rows('alter policy all_tenants on hookwright.events to pg_monitor');
    await expect(reachDatabase(stack.databaseUrl, 'owner')).rejects.toThrow(
      'The rows of events are hidden from the user of DATABASE_URL, because their policies name another login.',
    );
  });

  test('connections that do not get the role of the API are refused, with the cause', async () => {
    await using stack = await DeliveryStack.open();
    await expect(requireConnectedAs(stack.services.db, API_ROLE)).rejects.toThrow(
      'Connections should work as the role hookwright_api, and work as hookwright. A connection pooler stands between',
    );
  });
});
