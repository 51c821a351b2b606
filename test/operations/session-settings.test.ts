import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { poolOptions } from '../../src/platform/database/database.js';
import { PrimaryClient } from '../../src/platform/database/driver/primary-client.js';
import { JOB_CONNECTION, openJobConnections } from '../../src/platform/graphile-worker/job-connections.js';
import { createTestDatabase } from '../support/database.js';
import { makeKey, makeTenant, openTestServices } from '../support/factories.js';
import { onServer } from '../support/on-server.js';
import { watchedLog } from '../support/plaintext.js';

const odd = [
  `datestyle = 'SQL, DMY'`,
  `default_transaction_isolation = 'repeatable read'`,
  `lock_timeout = '1s'`,
  `row_security = off`,
  `plan_cache_mode = 'auto'`,
];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let services: Services;
beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await onServer(database.url, async (client) => {
    for (const setting of odd) {
      await client.query(`alter database ${name} set ${setting}`);
    }
  });
  const url = new URL(database.url);
  url.searchParams.set('options', '-c work_mem=8MB');
  services = await openTestServices(url.href.replaceAll('+', '%20'));
});
afterAll(async () => {
  await services.db.close();
  await database.drop();
});

interface Read {
  now: Date;
  isolation: string;
  locks: string;
  policies: string;
  memory: string;
}
const statement = `select now() as now, current_setting('transaction_isolation') as isolation,
  current_setting('lock_timeout') as locks, current_setting('row_security') as policies,
  current_setting('work_mem') as memory`;

describe('what a server is set to does not change what is read and written', () => {
  const connections: [string, () => Promise<Read>][] = [
    ['for hot statements', async () => (await services.db.pool.query(statement)).rows[0]],
    ['of the ORM', async () => (await services.db.orm.em.getConnection().execute(statement))[0]],
    [
      'for jobs',
      async () => {
        const pool = openJobConnections(services.db.url, watchedLog());
        const { rows } = await pool.query(statement);
        await pool.end();
        return rows[0];
      },
    ],
    [
      'of their own',
      async () => {
        const client = new PrimaryClient(poolOptions(services.db.url, 1));
        await client.connect();
        const { rows } = await client.query(statement);
        await client.end();
        return rows[0];
      },
    ],
  ];
  test.each(connections)('on connections %s, which keep the options of the url', async (_, read) => {
    const { now, ...settings } = await read();
    expect(Math.abs(new Date(now).getTime() - Date.now())).toBeLessThan(60_000);
    expect(settings).toEqual({ isolation: 'read committed', locks: '0', policies: 'on', memory: '8MB' });
  });

  test('connections for jobs are set up as their plans need it', async () => {
    const pool = openJobConnections(services.db.url, watchedLog());
    for (const [, name, value] of JOB_CONNECTION.matchAll(/-c (\w+)=(\S+)/g)) {
      const { rows } = await pool.query('select current_setting($1) as value', [name]);
      expect({ name, value: rows[0].value }).toEqual({ name, value });
    }
    await pool.end();
  });

  test('a key that has been revoked, or has expired, is one there too', async () => {
    const { id: tenantId } = await makeTenant(services);
    for (const change of [`revoked_at = now()`, `expires_at = now() - interval '1 day'`]) {
      const { id, key } = await makeKey(services, tenantId, ['webhooks:read']);
      await onServer(database.url, (client) =>
        client.query(`set row_security = on; update hookwright.api_keys set ${change} where id = ${id}`),
      );
      await expect(services.authenticator.authenticate(`Bearer ${key}`, '192.0.2.1')).rejects.toMatchObject({
        reason: 'unauthenticated',
      });
    }
  });
});
