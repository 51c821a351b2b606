import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/operations/installation/migrate.js';
import { reachDatabase } from '../../src/operations/installation/reach-database.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { AUTHORITY, EXPIRED, GOOD, KEY, SELF_SIGNED } from '../support/certificates.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeTenant } from '../support/factories.js';
import { listen } from '../support/loopback.js';
import { dropDatabase, onServer } from '../support/on-server.js';
import { runProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ENCRYPTION_KEYS = `test:${randomBytes(32).toString('base64')}`;
const SERVING = ['api', 'daemon', 'start'];
function run(line: string, set: Record<string, string>) {
  const runs = SERVING.includes(line) ? runProgram : runHere;
  return runs(line.split(' '), { ENCRYPTION_KEYS, ...set });
}
async function runAll(lines: readonly string[], set: Record<string, string>) {
  const ends: Awaited<ReturnType<typeof run>>[] = [];
  for (const line of lines) {
    ends.push(await run(line, set));
  }
  return ends;
}
const failure = (sentence: string) => ({ code: 1, output: '', errors: `hookwright: ${sentence}\n` });

/** What serves is run as a program, which loads all of it. */
const SLOW = { timeout: 120_000 };

/** Databases and logins of a person with rights over the server. */
class Server implements AsyncDisposable {
  readonly url = new URL(inject('testPostgres').url);
  readonly name = `hw_${randomBytes(4).toString('hex')}`;

  static async open(): Promise<Server> {
    const server = new Server();
    await server.sql(`create database ${server.name}`);
    return server;
  }

  async sql(text: string): Promise<void> {
    await onServer(this.url.href, (client) => client.query(text));
  }

  /** The url of the new, empty database. */
  database(login: Partial<{ user: string; password: string; database: string }> = {}): string {
    const url = new URL(this.url);
    url.pathname = login.database ?? this.name;
    url.username = login.user ?? url.username;
    return login.password === undefined
      ? url.href
      : url.href.replace(/:[^:@/]*@/, `:${encodeURIComponent(login.password)}@`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await onServer(this.url.href, (client) => dropDatabase(client, this.name));
    await this.sql(`drop role if exists ${this.name}`);
  }
}

describe('over a database that was never migrated', SLOW, () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.open();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('each command asks for the command "migrate", and leaves the database as it was', async () => {
    const lines = ['key list', 'tenant create acme', 'outbox list', 'daemon', 'api'];
    expect(await runAll(lines, { DATABASE_URL: server.database() })).toEqual(
      lines.map(() => failure('The database has no schema yet: run "./hookwright migrate" first.')),
    );
    const schemas = "select from pg_namespace where nspname in ('hookwright', 'hookwright_jobs')";
    await onServer(server.database(), async (client) => expect((await client.query(schemas)).rows).toEqual([]));
  });

  test('the doctor has no holes in its sentences', async () => {
    const { output } = await run('doctor', { DATABASE_URL: server.database() });
    expect(output).toMatch(/disk: The database has \d+ [kM]B\. RETENTION_DAYS decides/);
    expect(output).not.toContain('..');
  });
});

test('in a folder without an installation commands make none', SLOW, async () => {
  const DATA_DIR = join(temporaryFolder(), 'data');
  const lines = ['key list', 'tenant create acme', 'migrate'];
  const sentence = `There is no installation in ${DATA_DIR}. "./hookwright start" makes one; DATABASE_URL or DATA_DIR name another.`;
  expect(await runAll(lines, { DATA_DIR })).toEqual(lines.map(() => failure(sentence)));
  expect(existsSync(DATA_DIR)).toBe(false);
});

describe('a database that cannot be reached', SLOW, () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.open();
    await server.sql(`create role ${server.name} login password 'right'`);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const cases: [string, () => string, RegExp][] = [
    [
      'has a host without an address',
      () => 'postgres://u:hush@nowhere.invalid/d',
      /nowhere\.invalid\. Is the host's name right/,
    ],
    [
      'does not run',
      () => 'postgres://u:hush@127.0.0.1:1/d',
      /ECONNREFUSED 127\.0\.0\.1:1\. Is Postgres running there/,
    ],
    [
      'does not exist',
      () => server.database({ database: 'hush_not_here' }),
      /"hush_not_here" does not exist\. Make it first/,
    ],
    [
      'has another password',
      () => server.database({ user: server.name, password: 'hush' }),
      /password authentication failed for user "hw_\w+"\. Are user and password right\? Special characters/,
    ],
    [
      'wants a password, and gets none',
      () => server.database({ user: server.name }).replace(/:[^:@/]*@/, '@'),
      /reached: the server wants a password, and DATABASE_URL has none\. Write it behind the user's name: postgres:\/\/user:password@/,
    ],
    [
      'wants a password, and gets an empty one',
      () => server.database({ user: server.name, password: '' }),
      /reached: the server wants a password, and DATABASE_URL has none\./,
    ],
  ];
  test.each(cases)('because it %s says so', async (_, url, sentence) => {
    const trouble = await reachDatabase(url(), 'owner').catch((error: Error) => error.message);
    expect(trouble).toMatch(sentence);
    expect(trouble).toMatch(/^The database of DATABASE_URL cannot be reached: .*[.?]$/);
    expect(trouble).not.toContain(':hush');
  });

  const verified = 'sslmode=verify-full';
  test.each([
    ['for another name', GOOD, verified, 'IP: 127.0.0.1 is not in the cert'],
    ['for another name, which it says', GOOD, verified, 'The certificate is for another name: name'],
    ['for another name, of a CA alone', GOOD, 'sslmode=verify-ca&uselibpqcompat=true', 'terminated unexpectedly'],
    ['out of date', EXPIRED, verified, 'certificate has expired. Give the server a new certificate.'],
    ['of another CA', SELF_SIGNED, verified, "Name the file of the CA that signed the server's certificate"],
  ])('because its certificate is %s says so', async (_, cert, mode, sentence) => {
    const file = join(temporaryFolder(), 'ca.pem');
    writeFileSync(file, AUTHORITY);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('S'); // it speaks TLS, for which the client has asked
        const secured = new TLSSocket(socket, { isServer: true, key: KEY, cert });
        secured.on('error', () => {}).once('data', () => socket.destroy());
      });
    });
    const port = await listen(server);
    const url = `postgres://u:hush@127.0.0.1:${port}/d?sslrootcert=${file}&${mode}`;
    const trouble = await reachDatabase(url, 'owner').catch((error: Error) => error.message);
    expect(trouble).toContain(sentence);
    expect(trouble).not.toContain('hush');
    server.close();
  });

  test('each command says so', async () => {
    const lines = ['key list', 'api', 'migrate', 'start'];
    const sentence =
      'The database of DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Is Postgres running there, and are host and port right?';
    expect(await runAll(lines, { DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/d' })).toEqual(
      lines.map(() => failure(sentence)),
    );
  });

  test('that the login may not set up is named, with what an administrator has to do', async () => {
    await using other = await Server.open();
    await server.sql(`grant ${API_ROLE} to ${server.name}`);
    const DATABASE_URL = other.database({ user: server.name, password: 'right' });
    const { code, errors } = await run('migrate', { DATABASE_URL });
    expect(errors).toBe(
      `hookwright: The login "${server.name}" may not set up the database "${other.name}" (permission denied for database ${other.name}). Make it its owner: alter database "${other.name}" owner to "${server.name}";\n`,
    );
    expect(code).toBe(1);
  });

  test('a password of special characters works, written as the settings say', async () => {
    const password = 'a%b#c/d?e@f:g h';
    await server.sql(`alter role ${server.name} password '${password}'`);
    await server.sql(`grant ${API_ROLE} to ${server.name}`);
    await server.sql(`grant create on database ${server.name} to ${server.name}`);
    const DATABASE_URL = server.database({ user: server.name, password });
    expect(DATABASE_URL).toContain('a%25b%23c%2Fd%3Fe%40f%3Ag%20h');
    expect((await run('migrate', { DATABASE_URL })).errors).toBe('');
    const made = await run('tenant create acme --external-id acme_42', { DATABASE_URL });
    expect(made.output).toContain('Tenant 1 "acme" is made.');
    expect((await run('tenant list', { DATABASE_URL })).output).toMatch(/^1\tacme\t.*\tacme_42\n$/);
  });
});

describe("the API's own login", SLOW, () => {
  test('is for the API alone', async () => {
    await using server = await Server.open();
    await migrate(server.database());
    await server.sql(`create role ${server.name} login password 'x' in role ${API_ROLE}`);
    const DATABASE_URL = server.database({ user: server.name, password: 'x' });
    for (const { code, output, errors } of await runAll(['daemon', 'doctor', 'key list', 'migrate'], {
      DATABASE_URL,
    })) {
      expect(output + errors).toContain(
        `The user of DATABASE_URL, "${server.name}", does not own the schema hookwright: such a login is for "./hookwright api" alone.`,
      );
      expect(code).toBe(1);
    }
    await server.sql(`revoke ${API_ROLE} from ${server.name}`);
    const { errors } = await run('api', { DATABASE_URL });
    expect(errors).toContain(`grant ${API_ROLE} to "${server.name}";`);
  });
});

describe('keys and lists', SLOW, () => {
  let stack: DeliveryStack;
  beforeAll(async () => {
    stack = await DeliveryStack.open();
  });
  afterAll(() => stack[Symbol.asyncDispose]());
  const ask = (line: string) => run(line, { DATABASE_URL: stack.databaseUrl });

  test('a platform key takes scopes of the platform, and no others', async () => {
    const { code, errors, output } = await ask('key create ops --platform --scopes webhooks:read');
    expect(errors).toContain('the scopes are platform:read, platform:support, platform:admin.');
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect((await ask('key create reader --platform --scopes platform:read')).code).toBe(0);
    expect((await ask('key list --platform')).output).toMatch(/\treader\t.*\tplatform:read\t/);
  });

  test('a command whose output nobody reads ends without a complaint', async () => {
    const set = { ENCRYPTION_KEYS, DATABASE_URL: stack.databaseUrl };
    const { errors } = await runProgram(['-c', './hookwright tenant list | true'], set, { program: 'sh' });
    expect(errors).toBe('');
  });

  test('the keys of a tenant that does not exist are refused', async () => {
    const { code, errors } = await ask('key list --tenant 99');
    expect(errors).toBe('hookwright: There is no tenant 99 (./hookwright tenant list shows them).\n');
    expect(code).toBe(1);
  });

  test('a tenant is renamed and deleted, the right one, and its keys and grants are gone from the lists', async () => {
    const { id } = await makeTenant(stack.services);
    await stack.rows(`update hookwright.tenants set name = 'acme' where id = ${id}`);
    expect(await ask(`tenant rename ${id} acme-ltd`)).toMatchObject({
      code: 0,
      output: `Tenant ${id} is called "acme-ltd" now.\n`,
    });
    expect(await ask(`tenant delete ${id} acme`)).toEqual({
      code: 1,
      output: '',
      errors: 'hookwright: The tenant has another name; nothing was deleted.\n',
    });
    expect((await ask(`tenant delete ${id} acme-ltd`)).output).toMatch(
      new RegExp(`^Tenant ${id} "acme-ltd" is deleted\\. Webhooks deleted: 0; keys revoked: 1, which every process`),
    );
    expect((await ask('tenant list')).output).not.toContain('acme-ltd');
    expect((await ask(`key list --tenant ${id}`)).errors).toBe(
      `hookwright: There is no tenant ${id} (./hookwright tenant list shows them).\n`,
    );
    expect((await ask(`key create late --tenant ${id}`)).errors).toBe(`hookwright: There is no tenant ${id}.\n`);
  });

  test('a tenant is named by its external id, which commands set, change and remove', async () => {
    const { id } = await makeTenant(stack.services);
    expect((await ask(`tenant set ${id} --external-id crm-7`)).output).toBe(
      `Tenant ${id} has the external id crm-7 now.\n`,
    );
    expect((await ask('tenant list')).output).toContain('\tcrm-7\n');
    expect((await ask(`tenant set ${stack.tenantId} --external-id crm-7`)).errors).toBe(
      `hookwright: Tenant ${id} has this external id.\n`,
    );
    expect((await ask('tenant rename ext:crm-7 branch-2')).output).toBe(`Tenant ${id} is called "branch-2" now.\n`);
    expect(await ask('key create mine --tenant ext:crm-7')).toMatchObject({ code: 0 });
    expect((await ask('key list --tenant ext:crm-7')).output).toContain(`tenant ${id}\tmine`);
    expect((await ask('tenant set ext:crm-7 --external-id crm-8')).output).toBe(
      `Tenant ${id} has the external id crm-8 now.\n`,
    );
    const nobody = 'hookwright: There is no tenant with the external id crm-7 (./hookwright tenant list shows them).\n';
    for (const line of [
      'key list --tenant ext:crm-7',
      'tenant rename ext:crm-7 a',
      'outbox grant a --tenant ext:crm-7',
    ]) {
      expect(await ask(line), line).toEqual({ code: 1, output: '', errors: nobody });
    }
    expect((await ask(`tenant set ${id} --no-external-id`)).output).toBe(`Tenant ${id} has no external id now.\n`);
    expect((await ask(`tenant set ${id}`)).errors).toContain('--external-id <id> or --no-external-id');
    expect((await ask(`tenant set ${id} --external-id ä`)).errors).toContain('1 to 255 printable ASCII characters');
    expect((await ask('key list --tenant crm-7')).errors).toContain('number of a tenant, or ext: and its external id');
    expect((await ask(`tenant delete ${id} branch-2`)).code).toBe(0);
  });

  test('without the encryption keys everything can be done that has to do with no secret', async () => {
    const set = { DATABASE_URL: stack.databaseUrl, ENCRYPTION_KEYS: '' };
    const made = await run('key create leaked --platform', set);
    const id = /^Key (\d+) /.exec(made.errors)![1]!;
    expect((await run(`key revoke ${id}`, set)).output).toContain(`Key ${id} is revoked`);
    expect(await run('tenant create acme', set)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('An existing installation needs its own keys'),
    });
  });

  test('a key that has expired is not listed as valid', async () => {
    const { errors } = await ask('key create brief --platform --expires-in 60');
    const id = /^Key (\d+) /.exec(errors)![1]!;
    const stateOf = async () =>
      (await ask('key list')).output
        .split('\n')
        .map((row) => row.split('\t'))
        .find(([key]) => key === id)![3];
    expect(await stateOf()).toMatch(/^valid until 20/);
    await stack.rows(`update hookwright.api_keys set expires_at = now() - interval '1 s' where id = ${id}`);
    expect(await stateOf()).toMatch(/^expired 20/);
  });

  test('a key lives for 60 seconds to ten years', async () => {
    const made = (seconds: number) => ask(`key create brief --platform --expires-in ${seconds}`);
    for (const seconds of [60, 315_360_000]) {
      const { code, errors } = await made(seconds);
      expect([code, errors]).toEqual([0, expect.stringContaining('"brief" is made.')]);
    }
    for (const seconds of [59, 315_360_001, 999_999_999_999_999]) {
      const { code, errors } = await made(seconds);
      const sentence = `A key lives for 60 to 315360000 seconds (ten years), not for ${seconds}.`;
      expect([code, errors]).toEqual([1, expect.stringContaining(sentence)]);
    }
  });

  test('keys are listed with when they were made and used last, and those of the platform alone', async () => {
    const { errors } = await ask('key create deploy --platform');
    const id = /^Key (\d+) /.exec(errors)![1]!;
    const rows = (await ask('key list --platform')).output.trimEnd().split('\n');
    expect(new Set(rows.map((row) => row.split('\t')[1]))).toEqual(new Set(['platform']));
    const [made, used] = rows
      .find((row) => row.startsWith(`${id}\t`))!
      .split('\t')
      .slice(-2);
    expect([made, used]).toEqual([expect.stringMatching(/^20\d\d-/), 'never']);
    expect(await ask('key create none --tenant 1 --scopes ,')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Unknown scope ""; the scopes are webhooks:read'),
    });
  });

  test('an empty list says so beside the output, which has nothing but rows', async () => {
    await stack.rows('delete from hookwright.api_keys');
    expect(await ask('key list')).toEqual({ code: 0, output: '', errors: 'There are no keys.\n' });
    expect((await ask('tenant list')).output).toMatch(/^\d+\t[^\n]+\t[^\n]+\n$/);
  });
});

describe('the command line', SLOW, () => {
  test('a mistyped command is named, with the one that may be meant', async () => {
    const { code, errors } = await runProgram(['deamon'], {});
    expect(errors).toContain("unknown command 'deamon'\n(Did you mean daemon?)");
    expect(errors.trimEnd().split('\n').length).toBeLessThan(6); // all of it is in sight
    expect(code).toBe(1);
  });

  test('without a command it shows its commands, and starts nothing', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const { code, errors } = await runProgram([], { DATA_DIR: dataDir });
    expect(errors).toContain('Usage: ./hookwright [options] [command]');
    expect(errors).toContain('Settings are environment variables, such as PORT=3001: docs/settings.md');
    expect(code).toBe(1);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('the file works by a link, and says what to do where nothing is built', () => {
    const folder = temporaryFolder();
    symlinkSync(resolve('hookwright'), join(folder, 'linked'));
    expect(execFileSync(join(folder, 'linked'), ['--version'], { encoding: 'utf8' })).toBe('0.1.0\n');
    copyFileSync('hookwright', join(folder, 'hookwright'));
    const { status, stderr } = spawnSync(join(folder, 'hookwright'), { encoding: 'utf8' });
    expect(stderr).toMatch(/^hookwright: It is not built yet. In \S+ run: npm ci --include=dev && npm run build\n$/);
    expect(status).toBe(1);
  });

  test.each([
    [
      'npm ran without install scripts',
      ['node_modules/node', 'dist/program/main.js'],
      'Its Node is missing, because npm ran without install scripts',
      'npm rebuild --ignore-scripts=false node',
    ],
    [
      'it ran so, and nothing is built',
      ['node_modules/node'],
      'Its Node is missing, because npm ran without install scripts',
      'npm rebuild --ignore-scripts=false node && npm run build',
    ],
    ['it was installed and not built', ['node_modules/.bin/node'], 'It is not built yet', 'npm run build'],
  ])('where %s, the file says what to run', (_, present, why, todo) => {
    const folder = temporaryFolder();
    for (const path of present) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    copyFileSync('hookwright', join(folder, 'hookwright'));
    const { status, stderr } = spawnSync(join(folder, 'hookwright'), { encoding: 'utf8' });
    expect(stderr).toBe(`hookwright: ${why}. In ${realpathSync(folder)} run: ${todo}\n`);
    expect(status).toBe(1);
  });

  test('a host that is not an address of this machine is named with its setting', async () => {
    await using server = await Server.open();
    await migrate(server.database());
    const { code, errors } = await run('api', {
      DATABASE_URL: server.database(),
      HOST: '192.0.2.1',
      PORT: '0',
    });
    expect(errors).toContain('HOST is "192.0.2.1", which is not an address of this machine (EADDRNOTAVAIL).');
    expect(code).toBe(1);
  });
});
