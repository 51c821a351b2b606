import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { dropDatabase, onServer } from '../support/on-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);

const page = readFileSync('docs/operate.md', 'utf8');
/** The one line of a block of the page that begins so. */
const commandOf = (program: string) => new RegExp(`^${program} .*$`, 'm').exec(page)?.[0] ?? '';

const versionOfPgDump = () =>
  Number(/\d+/.exec(spawnSync('pg_dump', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? 0);

describe('the backup of docs/operate.md, made by the owner of the tables, who is no superuser', () => {
  let stack: DeliveryStack;
  beforeAll(async () => {
    stack = await DeliveryStack.open();
    await stack.webhook('https://example.com/');
    await stack.emit('coupon.applied', { code: '優惠', discount_type: 'x' });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test('reads every row of every table', async () => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    try {
      // pg_dump turns it off unless it is told otherwise, and then Postgres refuses rather than leave out a row.
      const rowSecurity = commandOf('pg_dump').includes('--enable-row-security') ? 'on' : 'off';
      await client.query(`set row_security = ${rowSecurity}`);
      // Its environment may say PGCLIENTENCODING=LATIN1, which cannot write every payload.
      const [, encoding = 'LATIN1'] = /--encoding=(\w+)/.exec(commandOf('pg_dump')) ?? [];
      await client.query(`set client_encoding = '${encoding}'`);
      const { rows: tables } = await client.query<{ name: string }>(
        `select c.oid::regclass::text as name from pg_class c
         where relnamespace in ('hookwright'::regnamespace, 'hookwright_jobs'::regnamespace) and relkind = 'r'`,
      );
      for (const { name } of tables) {
        await client.query(`select * from ${name}`);
      }
      for (const name of ['tenants', 'webhooks', 'events', 'deliveries']) {
        const { rows } = await client.query(`select count(*)::integer as count from hookwright.${name}`);
        expect({ [name]: rows[0] }).toEqual({ [name]: { count: 1 } });
      }
    } finally {
      await client.end();
    }
  });

  test('brings everything back, where there is a pg_dump as new as the server', async ({ skip }) => {
    const [server] = await stack.rows<{ major: number }>(
      `select current_setting('server_version_num')::integer / 10000 as major`,
    );
    skip(versionOfPgDump() < server!.major, `there is no pg_dump ${server!.major} on this machine`);
    const cwd = temporaryFolder();
    const restored = new URL(stack.databaseUrl);
    restored.pathname += '_restored';
    const shell = (command: string, url: string) =>
      run('sh', ['-c', command], {
        cwd,
        env: { PATH: process.env['PATH'], DATABASE_URL: url, PGCLIENTENCODING: 'LATIN1' },
      });
    await shell(commandOf('pg_dump'), stack.databaseUrl);
    await stack.rows(`create database ${restored.pathname.slice(1)}`);
    try {
      await shell(commandOf('pg_restore'), restored.href);
      const count = `select (select count(*) from hookwright.deliveries) || ' of ' || (select count(*) from hookwright.webhooks)`;
      const { stdout } = await shell(`psql "$DATABASE_URL" -Atc "${count}"`, restored.href);
      expect(stdout.trim()).toBe('1 of 1');
      const main = join(process.cwd(), 'dist/src/main.js');
      const migrated = await run(process.execPath, [main, 'migrate'], {
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: restored.href,
          ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
        },
      });
      expect(migrated.stdout).toContain('The database has the newest schema.');
    } finally {
      await onServer(stack.databaseUrl, (client) => dropDatabase(client, restored.pathname.slice(1)));
    }
  });
});
