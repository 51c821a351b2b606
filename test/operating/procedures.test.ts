import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { ownPort } from '../support/loopback.js';
import { onServer } from '../support/on-server.js';
import { ProgramService } from '../support/program-service.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startSystemPostgres, systemPostgres } from '../support/system-postgres.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const bin = systemPostgres();
const password = 'p';

/** The fenced block of a page that has this text, with a password where the page has none. */
function blockOf(page: string, text: string): string {
  const blocks = [...readFileSync(`docs/${page}`, 'utf8').matchAll(/^( *)```\w*\n([\s\S]*?)^ *```$/gm)];
  const found = blocks.filter(([, , block]) => block!.includes(text));
  expect(found, `${page}: ${text}`).toHaveLength(1);
  return found[0]![2]!.replaceAll('…', password);
}

/** The health check of compose.yaml, as it runs in a container. */
function healthOfContainers(port: string) {
  const [, test = '[]'] = /^ {2}test: (\["CMD", "\/app.*)$/m.exec(readFileSync('compose.yaml', 'utf8')) ?? [];
  const [, program, ...args] = (JSON.parse(test) as string[]).map((word) => word.replace(':9464/', `:${port}/`));
  return { program: resolve(program!.replace('/app/', '')), args };
}

/** On a machine that had neither the program nor a database, all commands are those of the pages. */
describe.skipIf(bin === null && process.env['CI'] === undefined)(
  'from nothing, by docs/install.md and docs/operate.md',
  () => {
    let folder: string;
    let path: string;
    let receiver: Receiver;
    const services: ProgramService[] = [];
    const stops: (() => Promise<void>)[] = [];
    const key = `k2:${randomBytes(32).toString('base64')}`;
    let tenantKey: string;
    let secret: string;

    beforeAll(async () => {
      folder = temporaryFolder(0o700);
      symlinkSync(resolve('hookwright'), join(folder, 'hookwright'));
      path = [folder, bin, process.env['PATH']].join(delimiter);
      receiver = await startReceiver();
      stops.push(() => receiver.close());
    });
    afterAll(async () => {
      await Promise.all(services.map((service) => service.endAll()));
      await Promise.all(stops.map((stop) => stop()));
    });

    /** @returns all that it wrote */
    async function shell(commands: string, env: Record<string, string> = {}): Promise<string> {
      const { NODE_COMPILE_CACHE = '' } = process.env;
      // A terminal of another encoding, which cannot show every payload.
      const environment = { PATH: path, NODE_COMPILE_CACHE, PGCLIENTENCODING: 'LATIN1', ...env };
      const { stdout, stderr } = await run('sh', ['-euc', commands], { cwd: folder, env: environment });
      return stdout + stderr;
    }

    /** A new server with login, roles and database, and a service that is not started. */
    async function newServer() {
      const server = await startSystemPostgres(bin!);
      stops.push(server.close);
      await shell(blockOf('install.md', 'create database hookwright'), { ADMINISTRATOR_URL: server.url });
      const url = new URL(server.url);
      [url.username, url.password, url.pathname] = ['hookwright', password, 'hookwright'];
      const [, keys = ''] = /^ENCRYPTION_KEYS=(.*)$/m.exec(readFileSync(join(folder, '.env'), 'utf8')) ?? [];
      const service = new ProgramService({
        DATABASE_URL: url.href,
        ENCRYPTION_KEYS: keys,
        ALLOW_HTTP_URLS: 'true',
        ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      });
      services.push(service);
      const administrate = (sql: string) =>
        onServer(server.url.replace(/\w+$/, 'hookwright'), (client) => client.query(sql.replaceAll('…', password)));
      return { service, administrate, shell: (commands: string) => shell(commands, service.env) };
    }
    type NewServer = Awaited<ReturnType<typeof newServer>>;
    let a: NewServer;
    let b: NewServer;

    const giveShopItsLogin = ({ administrate }: NewServer) =>
      administrate("create role shop login password '…'; grant hookwright_outbox to shop");

    test('its secrets are made once', async () => {
      const block = blockOf('install.md', 'POSTGRES_PASSWORD=%s').split('docker compose')[0]!;
      await shell(block);
      const made = readFileSync(join(folder, '.env'), 'utf8');
      await shell(block);
      expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(made);
      expect(await shell('stat -c %a .env')).toBe('600\n');
    });

    test('it is installed on a server, by a login that may make no roles', { timeout: 120_000 }, async () => {
      a = await newServer();
      expect(await a.shell('hookwright migrate')).toBe('The database has the newest schema.\n');
      const METRICS_PORT = `${await ownPort()}`;
      const health = healthOfContainers(METRICS_PORT);
      await expect(run(health.program, health.args)).rejects.toMatchObject({ code: 1 });
      await Promise.all([a.service.startApi(), a.service.startDaemon({ METRICS_PORT })]);
      await eventually(() => run(health.program, health.args));
      const inContainer = 'docker compose exec api /app/';
      const commands = blockOf('install.md', inContainer).split('\n');
      const said: string[] = [];
      for (const command of commands.filter((line) => line.startsWith(inContainer))) {
        said.push(await a.shell(command.replace(inContainer, '')));
      }
      expect(said[0]).toContain('Tenant 1 "acme" is made.');
      tenantKey = /hw_\w+/.exec(said[1]!)![0];
      expect(said[2]).toMatch(/^0 failed/m);
    });

    test('it takes events, from an application’s transactions too', { timeout: 120_000 }, async () => {
      await giveShopItsLogin(a);
      await a.shell('hookwright outbox grant shop --tenant 1');
      const input = { url: receiver.url, eventTypes: ['*'] };
      type Made = { secret: string };
      secret = (await a.service.change<Made>(tenantKey, 'createWebhook', input, 'secret')).secret;
      await a.service.change(tenantKey, 'updateWebhook', { id: 'wh_1', active: false }, 'webhook { id }');
      const payload = { code: '優惠', discount_type: 'percent' };
      await a.service.change(tenantKey, 'emitEvent', { event: 'coupon.applied', payload }, 'event { id }');
    });

    test('it is backed up while it runs, and restored on another server', { timeout: 120_000 }, async () => {
      await a.shell(blockOf('operate.md', 'pg_dump'));
      expect(await shell('stat -c %a hookwright.dump')).toBe('600\n');
      await a.service.endAll();
      b = await newServer();
      expect(await b.shell(blockOf('operate.md', 'pg_restore'))).toBe('The database has the newest schema.\n');
      await Promise.all([b.service.startApi(), b.service.startDaemon()]);
      const doctor = await b.shell('hookwright doctor');
      expect(doctor).toMatch(/^0 failed/m);
      expect(doctor).toContain('These logins have grants and may not emit: shop.');
      await giveShopItsLogin(b);
      expect(await b.shell('hookwright doctor')).toContain('Every login with a grant may emit.');
      await b.service.change(tenantKey, 'updateWebhook', { id: 'wh_1', active: true }, 'webhook { id }');
      const [{ headers, body }] = await eventually(
        () => receiver.received.length === 1 && (receiver.received as [never]),
      );
      expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    });

    test('its encryption key is changed', { timeout: 120_000 }, async () => {
      const { env } = b.service;
      const old = env['ENCRYPTION_KEYS']!;
      for (const keys of [`${old},${key}`, `${key},${old}`]) {
        env['ENCRYPTION_KEYS'] = keys;
        await b.service.endAll();
        await b.service.startAll();
      }
      expect(await b.shell('hookwright keys rewrap')).toContain('ENCRYPTION_KEYS needs no other.');
      env['ENCRYPTION_KEYS'] = old;
      await expect(b.shell('hookwright doctor')).rejects.toMatchObject({
        stdout: expect.stringContaining('lacks the key k2'),
      });
      env['ENCRYPTION_KEYS'] = key;
      expect(await b.shell('hookwright doctor')).toMatch(/^0 failed/m);
    });

    test('its API works by a login of its own, and one tenant is published', { timeout: 120_000 }, async () => {
      await b.administrate(blockOf('security.md', 'create role hookwright_web'));
      const url = new URL(b.service.env['DATABASE_URL']!);
      url.username = 'hookwright_web';
      const api = new ProgramService({ ...b.service.env, DATABASE_URL: url.href });
      services.push(api);
      await api.startApi();
      expect(await api.ask(tenantKey, '{ viewer { tenant { name } } }')).toEqual({
        viewer: { tenant: { name: 'acme' } },
      });
      await onServer(b.service.env['DATABASE_URL']!, (client) =>
        client.query(blockOf('install.md', 'create publication').replaceAll('7', '1')),
      );
    });

    test('its database is emptied, and used again', { timeout: 120_000 }, async () => {
      await b.service.endAll();
      await onServer(b.service.env['DATABASE_URL']!, (client) =>
        client.query('drop schema hookwright, hookwright_jobs cascade'),
      );
      await b.shell('hookwright migrate');
      expect(await b.shell('hookwright tenant list')).toContain('There are no tenants.');
    });

    test('all in one it is reached by psql, copied, and put back', { timeout: 120_000 }, async () => {
      const all = new ProgramService({ DATA_DIR: join(folder, '.data'), PORT: '0' });
      services.push(all);
      await all.startAll();
      expect(
        await shell(`${blockOf('operate.md', 'postmaster.pid').trim()} -Atc 'select name from hookwright.tenants'`),
      ).toBe('default\n');
      await all.endAll();
      const elsewhere = '$(cat .data/pg-location 2>/dev/null || true)';
      await shell(`cp -a .data copy; test -z "${elsewhere}" || cp -a "${elsewhere}" copy-pg`);
      await shell(`test -z "${elsewhere}" || { rm -r "${elsewhere}"; cp -a copy-pg "${elsewhere}"; }`);
      rmSync(join(folder, '.data'), { recursive: true });
      await shell('cp -a copy .data');
      await all.startAll();
      expect(await shell('hookwright doctor', all.env)).toMatch(/^0 failed/m);
    });
  },
);
