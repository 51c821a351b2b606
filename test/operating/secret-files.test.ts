import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settings } from '../../src/platform/settings/settings.js';
import { runHere } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook, openTestServices } from '../support/factories.js';
import { type OwnPostgres, openOwnPostgres } from '../support/own-postgres.js';
import { ProgramService } from '../support/program-service.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const RECEIVERS = { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' };
const LOST = 'DATABASE_URL cannot be read again';
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const EMIT = `mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "x"}}) {
  event { databaseId } } }`;

/** As systemd makes it. */
const credentials = temporaryFolder();
const urlFile = join(credentials, 'DATABASE_URL');
let postgres: OwnPostgres;
let receiver: Receiver;
let service: ProgramService;
let key: string;
let url: URL;

beforeAll(async () => {
  postgres = await openOwnPostgres();
  receiver = await startReceiver();
  url = new URL(postgres.url);
  writeFileSync(urlFile, `${url.href}\n`);
  writeFileSync(join(credentials, 'ENCRYPTION_KEYS'), `k1:${ENCRYPTION_KEY}\n`);
  const ENCRYPTION_KEYS = `k1:${ENCRYPTION_KEY}`;
  const inProcess = await openTestServices(url.href, { settings: { ENCRYPTION_KEYS, ...RECEIVERS } });
  const tenant = await makeTenant(inProcess);
  key = tenant.key;
  await makeWebhook(inProcess, tenant.id, { url: receiver.url });
  await inProcess.db.close();
  service = new ProgramService({ CREDENTIALS_DIRECTORY: credentials, ...RECEIVERS });
  await Promise.all([service.startApi(), service.startDaemon()]);
}, 120_000);
afterAll(async () => {
  await service.endAll();
  await receiver.close();
  await postgres[Symbol.asyncDispose]();
});

const endSessions = () =>
  postgres.administrate(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = '${url.username}'`,
  );

/** A request that an ended session breaks is answered 503, and repeated. */
async function emitAndReceive(): Promise<void> {
  const received = receiver.received.length;
  await eventually(
    () =>
      service.ask(key, EMIT).then(
        () => true,
        () => false,
      ),
    20_000,
  );
  await eventually(() => receiver.received.length > received, 20_000);
}

const linesWith = (text: string) =>
  service.said.map(({ output }) => output.split('\n').filter((line) => line.includes(text)).length);

describe('a service whose secrets are in files', () => {
  test('starts, and emits and delivers', async () => {
    await emitAndReceive();
  });

  test('goes on when the password changes together with the file of DATABASE_URL, and its sessions end', async () => {
    url.password = 'another';
    writeFileSync(urlFile, url.href);
    await postgres.administrate(`alter role ${url.username} password 'another'`);
    await endSessions();
    await emitAndReceive();
    expect(linesWith('DATABASE_URL was read again')).toEqual([1, 1]);
  });

  test('goes on with the last good text while the file is away or is not a url, and says so once', async () => {
    rmSync(urlFile);
    for (let times = 0; times < 2; times += 1) {
      await endSessions();
      await emitAndReceive();
    }
    expect(linesWith(LOST)).toEqual([1, 1]);
    writeFileSync(urlFile, 'postgres://half');
    await endSessions();
    await emitAndReceive();
    await eventually(() => linesWith('names no database').every((lines) => lines === 1));
    writeFileSync(urlFile, url.href);
    await endSessions();
    await emitAndReceive();
    await eventually(() => linesWith('DATABASE_URL was read again').every((lines) => lines === 2));
  });

  test('prints no secret, and the doctor says where they are', async () => {
    const { checks } = JSON.parse((await runHere(['doctor', '--json'], service.env)).output);
    const found = checks.find(({ name }: { name: string }) => name === 'settings').text;
    expect(found).toContain(`DATABASE_URL (${urlFile}), ENCRYPTION_KEYS (${join(credentials, 'ENCRYPTION_KEYS')})`);
    const said = JSON.stringify([service.said, checks]);
    for (const secret of [new URL(postgres.url).password, ENCRYPTION_KEY]) {
      expect(said).not.toContain(secret);
    }
  });
});

describe('the units for systemd', () => {
  const read = (name: string) => readFileSync(`ops/systemd/${name}`, 'utf8');
  const common = read('hookwright-.service.d/common.conf');

  test.each([
    ['hookwright-migrate.service', 'migrate'],
    ['hookwright-api@.service', 'api'],
    ['hookwright-daemon@.service', 'daemon'],
  ])('%s starts hookwright %s, and sets nothing but settings', (name, command) => {
    const unit = read(name);
    expect(unit).toMatch(new RegExp(`^ExecStart=/opt/hookwright/hookwright ${command}$`, 'm'));
    const [, set = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    expect(Object.keys(settings)).toEqual(expect.arrayContaining([...set.matchAll(/(\w+)=/g)].map(([, name]) => name)));
  });

  test('give the service its secrets under the names of settings', () => {
    const given = [...common.matchAll(/^LoadCredential=(\w+):\/etc\/hookwright\/\1$/gm)].map(([, name]) => name);
    expect(given).toEqual(['DATABASE_URL', 'ENCRYPTION_KEYS']);
  });
});
