import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepHouse } from '../../daemon/duties/housekeeping.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { examine } from '../../src/cli/doctor.js';
import type { Check } from '../../src/operations/doctor/check.js';
import { judgeServer } from '../../src/operations/doctor/judge-server.js';
import { rollPartitions } from '../../src/operations/housekeeping/roll-partitions.js';
import { examineServer } from '../../src/operations/installation/examine-server.js';
import { futureTimesSql } from '../../src/operations/installation/future-times.js';
import { readJobsAside } from '../../src/operations/jobs/read-jobs-aside.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { scheduleEvent } from '../../src/operations/scheduled/schedule-event.js';
import { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { runHere } from '../support/command.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, emitMany } from '../support/factories.js';
import {
  changeJobs,
  deleteJobs,
  failJobs,
  fetchJobs,
  housekeepingStarted,
  JOBS_TABLE,
  jobsIn,
  ofDelivery,
  ofWebhook,
} from '../support/jobs.js';
import { openTransaction } from '../support/locks.js';
import { openServer } from '../support/loopback.js';
import { onServer } from '../support/on-server.js';
import { OpenIdProvider } from '../support/openid-provider.js';
import { watchedLog } from '../support/plaintext.js';
import { heard, runProgram, startProgram } from '../support/program.js';
import { answer, startReceiver } from '../support/receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let stack: DeliveryStack;
let env: Record<string, string>;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  const [key] = stack.services.config.encryptionKeys ?? [];
  env = {
    DATABASE_URL: stack.databaseUrl,
    ENCRYPTION_KEYS: `${key!.kid}:${key!.key.toString('base64')}`,
  };
});
afterEach(() => stack[Symbol.asyncDispose]());

const named = (checks: readonly Check[], name: string) => checks.find((each) => each.name === name);
const look = async (name: string, more: Record<string, string> = {}) => named(await examine({ ...env, ...more }), name);

describe('a healthy installation', () => {
  test('has nothing to complain of but the durability that tests go without', async () => {
    await rollPartitions(stack.services.db.pool, 30);
    stack.startDaemon();
    const checks = await eventually(async () => {
      const all = await examine(env);
      return named(all, 'daemons')?.status === 'ok' && all;
    });
    const complaints = checks.filter(({ status }) => status !== 'ok').map(({ name }) => name);
    const expected = ['fsync', 'synchronous_commit', 'full_page_writes', 'connections', 'transactions'];
    expect(complaints.filter((name) => !expected.includes(name))).toEqual([]);
    expect(named(checks, 'partitions')?.text).toContain('the next 14 days');
  });

  test('hears of the settings for mails only where somebody is to get notices', async () => {
    expect(await look('notices')).toBeUndefined();
    await stack.rows(`insert into hookwright.notice_recipients (tenant_id, address, topics)
      values (${stack.tenantId}, 'ops@example.com', '{FAILING}')`);
    expect(await look('notices', { PUBLIC_URL: 'http://127.0.0.1:1' })).toEqual({
      name: 'notices',
      status: 'warn',
      text: 'Recipients of notices get no e-mails: set SMTP_URL, MAIL_FROM (docs/notices.md).',
    });
  });

  test('is left exactly as it was', async () => {
    const figures = () =>
      stack.rows<{ rows: string }>(
        `select string_agg(relname || ' ' || (xpath('/row/n/text()', query_to_xml(
           format('select count(*) as n from hookwright.%I', relname), false, true, '')))[1], ', ' order by relname) as rows
         from pg_class where relnamespace = 'hookwright'::regnamespace and relkind in ('r', 'p') and not relispartition`,
      );
    const before = await figures();
    await examine(env);
    expect(await figures()).toEqual(before);
  });
});

describe('settings and database', () => {
  test('a misspelt setting is named, and the rest is not looked at', async () => {
    const checks = await examine({ ...env, MAX_RETRYS: '9', PORT: 'x' });
    expect(checks.map(({ status }) => status)).toEqual(['fail', 'fail']);
    expect(checks.map(({ text }) => text).join()).toContain('did you mean MAX_RETRIES?');
  });

  test('the provider, the public address and the proxy before it are tried', async () => {
    const statuses = (checks: readonly Check[]) =>
      Object.fromEntries(
        checks.filter(({ name }) => /^[A-Z]+_[A-Z]+$/.test(name)).map((one) => [one.name, one.status]),
      );
    await using site = await DashboardSite.open();
    // A proxy that says for whom it asks.
    const proxy = createServer((request, response) => {
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      void fetch(`${site.origin}${request.url}`, { headers }).then(async (answer) => response.end(await answer.text()));
    });
    const { port, close } = await openServer(proxy);
    const publicUrl = `http://127.0.0.1:${port}`;
    await using provider = await OpenIdProvider.start({ consoleUrl: `${publicUrl}/console` });
    const settings = provider.settings(publicUrl);
    const good = { OIDC_ISSUER: 'ok', PUBLIC_URL: 'ok', TRUSTED_PROXIES: 'warn' };
    expect(statuses(await examine({ ...env, ...settings }))).toEqual(good);
    const direct = { ...settings, PUBLIC_URL: site.origin, TRUSTED_PROXIES: '127.0.0.1' };
    expect((await look('TRUSTED_PROXIES', direct))?.text).toContain('have no X-Forwarded-For');
    expect(await look('TRUSTED_PROXIES', { PUBLIC_URL: site.origin })).toMatchObject({ status: 'ok' });
    await close();
    const wrong = { ...settings, OIDC_ISSUER: `${provider.issuer}/realm` };
    const checks = await examine({ ...env, ...wrong });
    expect(statuses(checks)).toEqual({ OIDC_ISSUER: 'fail', PUBLIC_URL: 'warn' });
    expect(named(checks, 'OIDC_ISSUER')?.text).toContain(`${provider.issuer}/realm could not be read`);
    expect(named(checks, 'PUBLIC_URL')?.text).toContain('cannot be reached from this machine (');
    const other = await look('PUBLIC_URL', { PUBLIC_URL: provider.issuer });
    expect(other?.text).toContain("has another answer than Hookwright's (status 404)");
  });

  test('a proxy for deliveries whose addresses nobody learns is a warning', async () => {
    const proxied = { EGRESS_PROXY: 'http://127.0.0.1:4750' };
    expect(await look('EGRESS_ADDRESSES', proxied)).toMatchObject({ status: 'warn' });
    const named = await look('EGRESS_ADDRESSES', { ...proxied, EGRESS_ADDRESSES: '203.0.113.7' });
    expect(named).toMatchObject({ status: 'ok', text: expect.stringContaining('203.0.113.7') });
    expect(await look('EGRESS_ADDRESSES', {})).toBeUndefined();
  });

  test('a database that is away is told without its password', async () => {
    const url = 'postgres://somebody:hush@127.0.0.1:1/nothing';
    const check = await look('database', { DATABASE_URL: url });
    expect(check?.status).toBe('fail');
    expect(check?.text).toBe(
      'The database of DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Is Postgres running there, and are host and port right?',
    );
    expect(check?.text).not.toContain('hush');
  });

  test('a database that was never migrated, and one that lacks a migration, want the command "migrate"', async () => {
    await stack.rows("delete from hookwright.migrations where name = '0004-access'");
    expect(await look('migrations')).toMatchObject({
      status: 'fail',
      text: 'The database lacks 0004-access. Run: ./hookwright migrate',
    });
    await stack.rows('drop table hookwright.migrations');
    expect((await look('migrations'))?.text).toBe('The database has no schema yet. Run: ./hookwright migrate');
  });

  test('a database of a build from before the first release wants another one', async () => {
    await stack.rows("update hookwright.migrations set name = '0001-tables' where name ~ '^0001'");
    expect((await look('database'))?.text).toContain(
      'The tables of this database were made by a build of Hookwright from before its first release',
    );
  });

  test('a database that a newer version has migrated wants an upgrade', async () => {
    await stack.rows("insert into hookwright.migrations (name, executed_at) values ('9999-later', now())");
    expect(await look('migrations')).toMatchObject({ status: 'warn' });
  });

  test('a right that the API lacks fails, and a login with a grant of the outbox that may not emit warns', async () => {
    expect(await look('api rights')).toMatchObject({ status: 'ok' });
    const login = `hw_${randomBytes(4).toString('hex')}`;
    await stack.rows(`
      revoke execute on function hookwright.find_api_key from hookwright_api;
      create role ${login};
      insert into hookwright.outbox_grants (role_name, tenant_id)
        select login, id from hookwright.tenants, unnest(array['${login}', 'gone']) as login`);
    expect(await look('api rights')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('The role hookwright_api lacks execute on function find_api_key.'),
    });
    const id = stack.tenantId;
    expect(await look('outbox')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining(
        `may not emit: gone, ${login}. Make those that are missing, and run: ./hookwright outbox grant gone --tenant ${id}; ./hookwright`,
      ),
    });
    await stack.rows(
      `delete from hookwright.outbox_grants where role_name = 'gone'; grant hookwright_outbox to ${login}`,
    );
    expect(await look('outbox')).toMatchObject({ status: 'ok' });
    await stack.rows(`drop role ${login}`);
  });

  test('pools that do not fit into max_connections fail', async () => {
    expect(await look('connections', { DATABASE_POOL_MAX: '500' })).toMatchObject({ status: 'fail' });
  });

  test('a server that does not wait for its disk fails', async () => {
    const [fsync] = await stack.rows<{ on: boolean }>(`select current_setting('fsync') = 'on' as on`);
    expect((await look('fsync'))?.status).toBe(fsync?.on ? 'ok' : 'fail');
  });

  test('an encryption key that is in use and unknown fails', async () => {
    const check = await look('encryption keys', {
      ENCRYPTION_KEYS: `other:${Buffer.alloc(32).toString('base64')}`,
    });
    expect(check).toMatchObject({ status: 'fail' });
    expect(check?.text).toContain('ENCRYPTION_KEYS lacks the key test, which protects secrets (tenants: 1)');
  });

  test('an encryption key that has the right name and is another one fails', async () => {
    expect(await look('encryption keys')).toMatchObject({ status: 'ok' });
    const check = await look('encryption keys', {
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    });
    expect(check).toMatchObject({ status: 'fail' });
    expect(check?.text).toContain('The encryption key test in ENCRYPTION_KEYS is another one');
  });

  test('two encryption keys that had one name fail, whichever of them is there', async () => {
    const another = { kid: 'test', key: Buffer.alloc(32, 1) };
    const vault = new SecretVault(stack.services.db, [another]);
    await createTenant(stack.services.db, vault, 'made with another key', commandLine);
    const check = await look('encryption keys');
    expect(check).toMatchObject({ status: 'fail' });
    expect(check?.text).toContain('Two different encryption keys have had the name test');
    const other = await look('encryption keys', {
      ENCRYPTION_KEYS: `test:${another.key.toString('base64')}`,
    });
    expect(other).toMatchObject({ status: 'fail' });
  });

  test('tenants fail whose key pair is missing or damaged, and only where one is wanted', async () => {
    const { id } = await stack.webhook('https://a.example.com/');
    expect(await look('signing keys')).toMatchObject({ status: 'ok' });
    await stack.change(id, { signing: 'SECRET_AND_KEY' });
    expect(await look('signing keys')).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(new RegExp(`does not open: ${stack.tenantId}\\. .*rotateSigningKey`)),
    });
    const signingKey = await stack.services.vault.newSigningKey(stack.tenantId);
    await stack.change(id, { signing: 'SECRET_AND_KEY', signingKey });
    expect(await look('signing keys')).toMatchObject({ status: 'ok' });
    await stack.rows(`update hookwright.signing_keys set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))`);
    expect(await look('signing keys')).toMatchObject({ status: 'fail' });
    await stack.change(id, { signing: null });
    expect(await look('signing keys')).toMatchObject({ status: 'ok' });
  });

  test('missing partitions fail, and few of them warn', async () => {
    const drop = async (days: number) => {
      const parts = await stack.rows<{ name: string }>(
        `select relname as name from pg_class where relname ~ '^(events|deliveries|attempts)_\\d{8}$' and relkind = 'r'
           and right(relname, 8) > to_char((now() at time zone 'UTC')::date + ${days}, 'YYYYMMDD')`,
      );
      for (const { name } of parts) {
        await stack.rows(`drop table hookwright.${name}`);
      }
    };
    await rollPartitions(stack.services.db.pool, 30);
    await drop(7);
    expect((await look('partitions'))?.status).toBe('ok');
    await drop(6);
    expect((await look('partitions'))?.status).toBe('warn');
    await drop(0);
    expect((await look('partitions'))?.status).toBe('fail');
  });
});

describe('sessions of other logins', () => {
  test('count as connections; that their transactions are hidden is said while there are any, with what to grant', async () => {
    const calm = { poolMax: 10, clockAheadSeconds: 0, clockErrorSeconds: 0 };
    const login = `hw_${randomBytes(4).toString('hex')}`;
    await stack.rows(`create role ${login} login password 'x'`);
    const url = new URL(stack.databaseUrl);
    [url.username, url.password] = [login, 'x'];
    await onServer(url.href, async (client) => {
      const facts = await examineServer(client, API_ROLE);
      expect(facts.hiddenSessions).toBeGreaterThan(0);
      expect(facts.connections).toBeGreaterThan(facts.hiddenSessions);
      expect(named(judgeServer(facts, calm, API_ROLE), 'transactions')).toMatchObject({
        status: 'warn',
        text: expect.stringContaining(`grant pg_monitor to "${login}";`),
      });
    });
    await stack.rows(`drop role ${login}`);
    const own = await stack.services.db.pool.connect();
    await eventually(async () => (await examineServer(own, API_ROLE)).hiddenSessions === 0);
    own.release();
  });
});

describe('locked rows', () => {
  test.each([
    ['one that has locked a webhook', 'select from hookwright.webhooks for update', 1],
    ['one that has changed a delivery', 'update hookwright.deliveries set due_at = due_at', 1],
    ['not one that reads', 'select from hookwright.webhooks', 0],
  ])('the sessions that have them are found: %s', async (_, statement, found) => {
    await stack.webhook('https://receiver.example.com/');
    await stack.emit();
    const own = await stack.services.db.pool.connect();
    await using other = await openTransaction(stack.databaseUrl, "set application_name = 'console'", statement);
    const { lockingSessions } = await examineServer(own, API_ROLE);
    own.release();
    expect(lockingSessions.map(({ application }) => application)).toEqual(Array(found).fill('console'));
    await other.letGo();
  });
});

describe('deliveries', () => {
  test('no daemon fails', async () => {
    expect(await look('daemons')).toMatchObject({ status: 'fail' });
  });

  test('a running daemon that is more than one minor version older than the newest process warns', async () => {
    const run = (version: string) =>
      stack.rows(`insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
                  values (gen_random_uuid(), 'a', 1, '${version}', 1, 0, now())`);
    await run('7.4.1');
    await run('7.3.0');
    expect(await look('versions')).toMatchObject({ status: 'ok' });
    await run('7.2.9');
    expect(await look('versions')).toEqual({
      name: 'versions',
      status: 'warn',
      text: 'Daemons run 7.2.9, and the newest version is 7.4.1: more than one minor version apart. Upgrade them.',
    });
    await stack.rows(
      `update hookwright.daemons set last_seen_at = now() - interval '1 minute' where version = '7.2.9'`,
    );
    expect(await look('versions')).toMatchObject({ status: 'ok' });
    await run('6.9.0');
    expect((await look('versions'))?.text).toContain('Daemons run 6.9.0,');
  });

  test('jobs of a process that has gone warn, those of a living one do not', async () => {
    await using receiver = await startReceiver(() => {});
    await stack.webhook(receiver.url);
    await stack.emit();
    const daemon = stack.startDaemon();
    await eventually(() => receiver.received.length === 1);
    expect(daemon.running).toBe(true);
    expect((await look('dead workers'))?.status).toBe('ok');
    await receiver.close();
    await daemon.stop();
    await stack.emit();
    await fetchJobs(stack, 'gone');
    expect((await look('dead workers'))?.status).toBe('warn');
  });

  test('an overdue delivery without a job warns, and its age shows', async () => {
    expect((await look('backlog'))?.text).toBe('Nothing is due; retries that wait: 0.');
    await stack.webhook('https://example.com/');
    await stack.emit();
    await stack.rows("update hookwright.deliveries set due_at = now() - interval '10 minutes'");
    expect((await look('sweepers'))?.status).toBe('ok');
    expect(await look('backlog')).toMatchObject({ status: 'warn' });
    await deleteJobs(stack);
    expect((await look('sweepers'))?.status).toBe('warn');
    await stack.rows("update hookwright.deliveries set due_at = now() - interval '1 hour'");
    const backlog = await look('backlog');
    expect(backlog).toMatchObject({ status: 'warn' });
    expect(backlog?.text).toContain('Due: 1, the oldest for 60 min');
    expect(backlog?.text).toContain('One slow receiver is enough');
    await stack.rows("update hookwright.webhooks set closed_until = now() + interval '1 hour'");
    const paused = await look('backlog');
    expect(paused).toMatchObject({ status: 'ok' });
    expect(paused?.text).toContain('of these, 1 wait for a pause that their receivers asked for');
  });

  test('a delivery that is being sent is due for as long as an attempt may take, and not late', async () => {
    await stack.webhook('https://example.com/');
    await stack.emit();
    await stack.rows("update hookwright.deliveries set due_at = now() - interval '130 seconds'");
    expect(await look('backlog')).toMatchObject({ status: 'ok' });
    await stack.rows("update hookwright.deliveries set due_at = now() - interval '190 seconds'");
    expect(await look('backlog')).toMatchObject({ status: 'warn' });
  });

  test('deliveries that wait for a rate or for a probe are not late, those behind them are', async () => {
    const { id: waiting } = await stack.webhook('https://example.com/', ['booking.created']);
    const { id: other } = await stack.webhook('https://example.com/', ['coupon.applied']);
    await stack.emit('booking.created');
    await stack.emit();
    await stack.rows(`update hookwright.deliveries set due_at = now() - case webhook_id
      when ${waiting} then interval '2 hours' else interval '1 minute' end`);
    expect(await look('backlog')).toMatchObject({ status: 'warn' });
    await stack.rows(`insert into hookwright.endpoint_rates values (${waiting}, now() + interval '90 seconds')`);
    const rated = await look('backlog');
    expect(rated).toMatchObject({ status: 'ok' });
    expect(rated?.text).toContain('the oldest for 2 h; the oldest wait for the rate of their webhook, or for the next');
    // Nobody takes its times any more.
    await stack.rows(`update hookwright.endpoint_rates set next_at = now() - interval '10 seconds'`);
    expect(await look('backlog')).toMatchObject({ status: 'warn' });
    await stack.rows(`update hookwright.webhooks set next_probe_at = now() + interval '1 hour' where id = ${waiting}`);
    expect(await look('backlog')).toMatchObject({ status: 'ok' });
    await stack.rows(`update hookwright.deliveries set due_at = now() - interval '1 hour' where webhook_id = ${other}`);
    expect((await look('backlog'))?.text).toContain('Due: 2, the oldest for 2 h; retries');
    expect(await look('backlog')).toMatchObject({ status: 'warn' });
  });

  test('scheduled events that nobody emits warn, and so does one that cannot be emitted among others that are', async () => {
    const { db } = stack.services;
    await scheduleEvent(db, { ...couponEmit(stack.tenantId), deliverAt: null, delaySeconds: 7_776_000 });
    expect(await look('scheduled')).toMatchObject({ status: 'ok' });
    await stack.rows(`update hookwright.scheduled_events
      set deliver_at = now() - interval '2 minutes', due_at = now() - interval '2 minutes'`);
    expect(await look('scheduled')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('The oldest scheduled event is 2 min late,'),
    });
    // Those of one moment take a while: others are emitted.
    await scheduleEvent(db, { ...couponEmit(stack.tenantId), deliverAt: new Date(), delaySeconds: null });
    await stack.rows(`update hookwright.scheduled_events set status = 'EMITTED', finished_at = now()
      where id = (select max(id) from hookwright.scheduled_events)`);
    expect(await look('scheduled')).toMatchObject({ status: 'ok' });
    await stack.rows(`update hookwright.scheduled_events set due_at = now() + interval '1 second'
      where status = 'SCHEDULED'`);
    expect(await look('scheduled')).toMatchObject({ status: 'warn' });
  });

  test('holds that end within a day warn, and shorter ones when half of them is over', async () => {
    const { id } = await stack.webhook('https://example.com/');
    await stack.emit();
    await stack.rows(
      `update hookwright.webhooks set active = false, disabled_at = now() - interval '6 days',
              disabled_reason = 'FAILURES', hold_until = now() + interval '25 hours' where id = ${id}`,
    );
    await stack.rows("update hookwright.deliveries set status = 'HELD'");
    expect(await look('held')).toMatchObject({ status: 'ok' });
    await stack.rows(`update hookwright.webhooks set hold_until = now() + interval '23 hours' where id = ${id}`);
    expect(await look('held')).toMatchObject({ status: 'warn' });
    // A hold of 23 hours (HOLD_HOURS) ends soon when half of it is over.
    await stack.rows(`update hookwright.webhooks set disabled_at = now() where id = ${id}`);
    expect(await look('held')).toMatchObject({ status: 'ok' });
    await stack.rows(`update hookwright.webhooks set disabled_at = now() - interval '24 hours' where id = ${id}`);
    expect(await look('held')).toMatchObject({ status: 'warn' });
    expect((await look('webhooks'))?.text).toBe('Active: 0; disabled because their receivers failed: 1.');
  });

  test('a delivery in quarantine warns', async () => {
    await stack.webhook('https://example.com/');
    await stack.emit();
    await changeJobs(stack, `attempts = 4, run_at = now() + interval '1 hour'`);
    expect((await look('quarantine'))?.status).toBe('ok');
    await changeJobs(stack, 'attempts = 5');
    expect((await look('quarantine'))?.status).toBe('warn');
  });

  test('a signature form that webhooks use and a daemon lacks fails, and one that differs warns', async () => {
    const says = async (status: string, text: string) =>
      expect(await look('signature forms')).toEqual({ name: 'signature forms', status, text });
    const fine = 'Every daemon signs in all forms that webhooks use.';
    const daemon = (digit: number, forms: object | null) =>
      stack.services.db.pool.query(
        `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, signature_forms)
         values ($1, $2, 1, '0.1.0', 1, 0, now(), $3)
         on conflict (id) do update set signature_forms = excluded.signature_forms`,
        [`00000000-0000-0000-0000-00000000000${digit}`, `host-${digit}`, forms && JSON.stringify(forms)],
      );
    const remedy = 'Give all daemons the same file (SIGNATURE_FORMS), and start them again.';
    await daemon(1, null);
    await says('ok', fine);
    for (const compat of ['acme', 'svix', 'acme']) {
      const { id } = await stack.webhook('https://example.com/');
      await stack.change(id, { compat });
    }
    await says('fail', 'Daemons of a version before send no signatures of former systems: host-1. Upgrade them.');
    await daemon(1, { svix: 'a', acme: 'b' });
    await daemon(2, { svix: 'a' });
    await says(
      'fail',
      `Signature forms that webhooks use and a daemon lacks: acme on host-2. Their deliveries wait there. ${remedy}`,
    );
    await daemon(2, { svix: 'a', acme: 'c', unused: 'd' });
    await says('warn', `Signature forms that differ between daemons: acme. ${remedy}`);
    await daemon(2, { svix: 'a', acme: 'b' });
    await says('ok', fine);
  });

  test('a job that is dead, or whose attempt was made, is in no quarantine, and its time is not too far', async () => {
    const { id: webhookId } = await stack.webhook('https://example.com/');
    const { id } = await stack.delivery(await stack.emit());
    const calm = async () => {
      expect(await look('quarantine')).toMatchObject({ status: 'ok' });
      expect(await look('future times')).toMatchObject({ status: 'ok' });
    };
    // Another job takes its place while it runs, and its own end is not heard of.
    await fetchJobs(stack, 'pool');
    await stack.rows(`select hookwright.enqueue_deliveries(array[${id}], array[1], array[now()], array[0])`);
    await failJobs(stack, 'pool', 'Query read timeout');
    expect(await jobsIn(stack, `attempts = 25 and run_at > now() + interval '6 hours' and key is null`)).toHaveLength(
      1,
    );
    await calm();
    expect(await readJobsAside(stack.services.db.pool)).toEqual([]);
    await changeJobs(stack, `attempts = 7, run_at = now() + interval '1 day'`, ofDelivery(id));
    expect(await look('quarantine')).toMatchObject({ status: 'warn' });
    expect(await readJobsAside(stack.services.db.pool)).toMatchObject([{ deliveryId: id, tries: 7 }]);
    await stack.rows(`update hookwright.deliveries set status = 'SUCCEEDED', attempt_count = 1 where id = ${id}`);
    await calm();
    expect(await readJobsAside(stack.services.db.pool)).toEqual([]);
    // A job of another kind that fails again and again.
    await stack.rows(`select hookwright.enqueue_align(${webhookId}, ${stack.tenantId})`);
    for (let failures = 0; failures < 9; failures += 1) {
      await changeJobs(stack, 'run_at = now()', ofWebhook(webhookId));
      await fetchJobs(stack, 'pool', ofWebhook(webhookId));
      await failJobs(stack, 'pool', 'deadlock detected');
    }
    expect(await look('quarantine')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('Jobs in quarantine: 1.'),
    });
    expect(await look('future times')).toMatchObject({ status: 'ok' });
  });

  describe('housekeeping', () => {
    const started = (minutesAgo: number) => housekeepingStarted(stack, `now() - interval '${minutesAgo} minutes'`);
    const keep = () => {
      const { db, config } = stack.services;
      return keepHouse({ db, config, log: watchedLog(), metrics: new DaemonMetrics() });
    };
    const succeeded = async (minutesAgo: number) => {
      await keep();
      await stack.rows(`update hookwright.housekeeping set succeeded_at = now() - interval '${minutesAgo} minutes'`);
    };

    test('that was not started for hours warns', async () => {
      expect((await look('housekeeping'))?.status).toBe('ok');
      await started(120);
      await succeeded(120);
      expect((await look('housekeeping'))?.status).toBe('ok');
      await started(240);
      await succeeded(240);
      expect((await look('housekeeping'))?.status).toBe('warn');
    });

    test('that is started every hour and has not been done for hours warns', async () => {
      await started(5);
      expect(await look('housekeeping')).toMatchObject({ status: 'ok' });
      await started(15);
      expect(await look('housekeeping')).toMatchObject({
        status: 'warn',
        text: expect.stringContaining('last started 15 min ago; last done: never'),
      });
      await succeeded(170);
      expect(await look('housekeeping')).toMatchObject({ status: 'ok' });
      await succeeded(190);
      expect(await look('housekeeping')).toMatchObject({
        status: 'warn',
        text: expect.stringContaining('last started 15 min ago; last done: 3 h ago'),
      });
    });

    test('whose last run failed warns, with what failed and when it last succeeded, until a run succeeds', async () => {
      await started(5);
      await succeeded(65);
      await stack.rows(`select hookwright.make_partition('attempts', '2020-01-01')`);
      const reader = await stack.services.db.pool.connect();
      try {
        await reader.query('begin; lock table hookwright.attempts_20200101 in access share mode');
        await expect(keep()).rejects.toThrow();
      } finally {
        reader.release(true);
      }
      expect(await look('housekeeping')).toMatchObject({
        status: 'warn',
        text: expect.stringMatching(
          /failed \d s ago \(roll partitions: canceling statement due to lock timeout\); last done: 65 min ago\./,
        ),
      });
      await keep();
      expect(await look('housekeeping')).toMatchObject({ status: 'ok' });
    });
  });

  test.each([
    ['a delivery', `update hookwright.deliveries set due_at = now() + interval '1 day'`],
    ['a retry', `update hookwright.deliveries set due_at = now() + interval '25 hours', attempt_count = 1`],
    ['a job', `update ${JOBS_TABLE} set run_at = now() + interval '1 day'`],
    ['an endpoint', `update hookwright.webhooks set closed_until = now() + interval '1 day'`],
    [
      'a probe of a disabled endpoint',
      `insert into hookwright.webhook_recoveries (webhook_id, tenant_id, pause_minutes, next_probe_at)
       select id, tenant_id, 1, now() + interval '2 hours' from hookwright.webhooks`,
    ],
    ['statistics', `update hookwright.stats_progress set minutes_until = now() + interval '1 day'`],
    [
      'the report',
      `insert into hookwright.installation_report (report, made_at) values ('{}', now() + interval '1 day')`,
    ],
  ])('that a wrong clock has put off fail, until --repair: %s', async (_, statement) => {
    await stack.webhook('https://receiver.example.com/');
    await stack.emit();
    expect(await look('future times')).toMatchObject({ status: 'ok' });
    await stack.rows(statement);
    expect(await look('future times')).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(/^1 time is too far in the future\..*hookwright doctor --repair/),
    });
    const checks = await examine(env, { repair: true });
    expect(named(checks, 'repair')?.text).toBe('Times corrected: 1.');
    expect(named(checks, 'future times')).toMatchObject({ status: 'ok' });
  });

  test('that others commit while the doctor looks are none', async () => {
    await using doctor = await openTransaction(stack.databaseUrl, 'select now()');
    await stack.rows(`insert into hookwright.installation_report (report) values ('{}')`);
    const { rows } = await doctor.session.query(`select ${futureTimesSql} as count`);
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('of probes of an active endpoint are corrected, and not counted', async () => {
    const { id } = await stack.webhook('https://receiver.example.com/');
    const probe = (later: string) =>
      stack.rows(`update hookwright.webhooks set next_probe_at = now() + interval '${later}' where id = ${id}`);
    await probe('63 minutes');
    expect(named(await examine(env, { repair: true }), 'repair')?.text).toBe('Times corrected: 0.');
    await probe('2 hours');
    expect(await look('future times')).toMatchObject({ status: 'ok' });
    expect(named(await examine(env, { repair: true }), 'repair')?.text).toBe('Times corrected: 1.');
  });

  test('are found and corrected behind any number of retries that a schedule explains', async () => {
    await stack.webhook('https://receiver.example.com/');
    await emitMany(stack.services, stack.tenantId, 10_001);
    const [last] = await stack.rows<{ id: number }>('select max(id) as id from hookwright.deliveries');
    await stack.rows(`update hookwright.deliveries set attempt_count = 1, due_at = now() + interval '23 hours'
                      where id <> ${last!.id}`);
    await stack.rows(`update hookwright.deliveries set due_at = now() + interval '24 hours' where id = ${last!.id}`);
    expect(await look('future times')).toMatchObject({ status: 'fail' });
    expect(named(await examine(env, { repair: true }), 'repair')?.text).toBe('Times corrected: 1.');
  });

  test('that a schedule, a pause or a put-off explains are none, and keep their time', async () => {
    const receiver = await stack.endpoint(answer(500));
    await stack.change(receiver.webhookId, { retryDelaysSeconds: [7_200, 86_400] });
    const eventId = await stack.emit();
    stack.startDaemon();
    await stack.attempted(eventId);
    await stack.change(receiver.webhookId, { retryDelaysSeconds: [1] });
    await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '1 hour'`);
    const before = await stack.delivery(eventId);
    const checks = await examine(env, { repair: true });
    expect(named(checks, 'repair')?.text).toBe('Times corrected: 0.');
    expect(named(checks, 'future times')).toMatchObject({ status: 'ok' });
    expect(await stack.delivery(eventId)).toEqual(before);
    expect(before.due_at.getTime()).toBeGreaterThan(Date.now() + 7_000_000);
    expect(receiver.received).toHaveLength(1);
  });

  test('that were due much later are sent at once after --repair, beside the running daemon', async () => {
    await using receiver = await startReceiver();
    await stack.webhook(receiver.url);
    await stack.emit();
    await stack.rows(`update hookwright.deliveries set due_at = now() + interval '1 day'`);
    await changeJobs(stack, `run_at = now() + interval '1 day'`);
    await housekeepingStarted(stack, `now() + interval '7 hours'`);
    stack.startDaemon();
    expect(named(await examine(env, { repair: true }), 'repair')?.text).toBe('Times corrected: 3.');
    await eventually(() => receiver.received.length === 1);
    expect(await look('housekeeping')).toMatchObject({ status: 'ok' });
  });
});

test('filters that emits ignore fail, until --repair', async () => {
  const { id: webhookId } = await stack.webhook('https://receiver.example.com/');
  expect(await look('filters')).toMatchObject({ status: 'ok' });
  await stack.rows(`begin; alter table hookwright.webhook_options disable trigger user;
    insert into hookwright.webhook_options (webhook_id, tenant_id, filter, filter_path)
      values (${webhookId}, ${stack.tenantId}, '{}', '$.a == 1');
    alter table hookwright.webhook_options enable trigger user; commit`);
  expect(await look('filters')).toMatchObject({
    status: 'fail',
    text: expect.stringMatching(/may be ignored: 1\..*hookwright doctor --repair/),
  });
  const checks = await examine(env, { repair: true });
  expect(named(checks, 'repair')?.text).toBe('Times corrected: 0. Ignored filters: 2.');
  expect(named(checks, 'filters')).toMatchObject({ status: 'ok' });
});

describe('hookwright doctor', () => {
  test('exits with 1 when something fails; --json is for machines', async () => {
    const { code, output } = await runHere(['doctor', '--json'], env);
    expect(code).toBe(1);
    const { checks } = JSON.parse(output) as { checks: Check[] };
    expect(named(checks, 'daemons')).toMatchObject({ status: 'fail' });
    expect(named(checks, 'database')).toMatchObject({ status: 'ok' });
  }, 60_000);

  test('a folder that cannot be used is named without a word on DATABASE_URL, which is not set', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'pg'));
    writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), '18\n');
    mkdirSync(join(dataDir, 'pg-start.lock'));
    const check = named(await examine({ DATA_DIR: dataDir }), 'database');
    expect(check?.text).toContain(`The folder ${dataDir} cannot be used: EISDIR`);
  });

  test('makes no installation where there is none', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const { code, output } = await runHere(['doctor'], { DATA_DIR: dataDir });
    expect(output).not.toContain('..');
    expect(code).toBe(1);
    expect(output).toContain(`There is no installation in ${dataDir}.`);
    expect(existsSync(dataDir)).toBe(false);
  }, 60_000);

  test('works beside the running service in the all-in-one mode, and leaves it running', async () => {
    const folder = temporaryFolder();
    const more = { DATA_DIR: join(folder, 'data'), PORT: '0' };
    const service = startProgram(['start'], more);
    const log = heard(service);
    try {
      await eventually(() => log.output.includes('the API is listening'), 90_000);
      await eventually(async () => {
        const { code, output } = await runHere(['doctor'], more);
        expect(output).toContain('Daemons connected: 1.');
        expect(output).toContain(' 0 warned');
        expect(code).toBe(0);
        return true;
      }, 60_000);
      expect(service.exitCode).toBeNull();
    } finally {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    // Now it is stopped, and what starts a daemon is the service.
    const { output } = await runProgram(['doctor'], more);
    expect(output).toContain('nothing is delivered. Start one: ./hookwright start.');
  }, 180_000);
});
