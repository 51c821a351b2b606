import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/cli/doctor.js';
import { reachDatabase } from '../../src/operations/installation/reach-database.js';
import { poolOptions } from '../../src/platform/database/database.js';
import { PrimaryClient } from '../../src/platform/database/driver/primary-client.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { listen } from '../support/loopback.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const URL_BEFORE = 'postgres://user:hush@h/d';
const configOf = (query: string, before = URL_BEFORE) =>
  readConfig({ DATABASE_URL: `${before}?${query}`, ENCRYPTION_KEYS });
const readAs = (query: string) => configOf(query).databaseUrl?.slice(URL_BEFORE.length).replace('?', '');
const VERIFIED = 'sslmode=verify-full';

describe('a parameter of DATABASE_URL', () => {
  test.each([
    ['host=/var/run/postgresql&port=5433', 'host=/var/run/postgresql&port=5433'],
    ['user=u&password=p', 'user=u&password=p'],
    ['options=-c%20jit%3Don', 'options=-c%20jit%3Don'],
    ['sslmode=disable', 'sslmode=disable'],
    ['sslmode=no-verify', 'sslmode=no-verify'],
    ['sslmode=allow', VERIFIED],
    ['sslmode=prefer', VERIFIED],
    ['sslmode=require', VERIFIED],
    ['sslmode=verify-ca&sslrootcert=/ca.pem', `${VERIFIED}&sslrootcert=/ca.pem`],
    ['sslmode=disable&sslmode=require', `sslmode=disable&${VERIFIED}`],
    ['sslmode=require&uselibpqcompat=true', 'sslmode=require&uselibpqcompat=true'],
    ['sslrootcert=system', VERIFIED],
    ['sslmode=require&sslrootcert=system', VERIFIED],
    ['sslcert=/c.pem&sslkey=/k.pem', 'sslcert=/c.pem&sslkey=/k.pem'],
    ['sslnegotiation=direct&sslmode=require', `sslnegotiation=direct&${VERIFIED}`],
    ['ssl=true', 'ssl=true'],
    ['ssl=false', 'ssl=0'],
    ['ssl=disable', 'ssl=0'],
    ['sslmode=&application_name=', ''],
    [`${VERIFIED}&channel_binding=require`, VERIFIED],
    ['channel_binding=prefer&gssencmode=disable&client_encoding=UTF8&target_session_attrs=primary', ''],
    ['ssl_min_protocol_version=TLSv1.2', ''],
  ])('is followed, or already true: %s', (query, read) => {
    expect(readAs(query)).toBe(read);
    expect(configOf(query).warnings).toEqual([]);
  });

  test.each([
    ...['connect_timeout', 'application_name', 'fallback_application_name', 'keepalives', 'keepalives_idle'],
    ...['keepalives_interval', 'keepalives_count', 'tcp_user_timeout', 'replication', 'sslcompression', 'sslsni'],
    ...['sslcertmode', 'ssl_max_protocol_version', 'krbsrvname', 'gsslib', 'gssdelegation', 'load_balance_hosts'],
    ...['min_protocol_version', 'max_protocol_version', 'scram_client_key', 'oauth_issuer', 'sslkeylogfile'],
    ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'query_timeout', 'binary'],
    ...['schema', 'pgbouncer', 'connection_limit', 'pool', 'SSLMODE'],
  ])('without effect is left out, and the log and the doctor name it: %s', (name) => {
    const { databaseUrl, warnings } = configOf(`${name}=1&${VERIFIED}`);
    expect(databaseUrl).toBe(`${URL_BEFORE}?${VERIFIED}`);
    expect(warnings).toEqual([`DATABASE_URL has parameters without effect: ${name}`]);
    expect(configOf(`${name}=1`).databaseUrl).toBe(URL_BEFORE);
  });

  const text = encodeURIComponent('-----BEGIN PRIVATE KEY-----\nhush');
  test.each([
    ['host=one,two', 'names several hosts as a parameter: write them before the database'],
    ['port=5432,5433', 'has the parameter port, and it is not one number'],
    ['hostaddr=10.0.0.1', 'has hostaddr: write the address as the host'],
    ['dbname=other', 'has dbname: write the database behind the host'],
    ['service=hush', 'has service: such files are not read'],
    ['servicefile=/hush', 'has service: such files are not read'],
    ['passfile=/hush', 'has passfile: such files are not read'],
    ['target_session_attrs=standby', 'has target_session_attrs: only read-write'],
    ['client_encoding=LATIN1', 'has client_encoding: only UTF8'],
    [
      'sslmode=on',
      'has an sslmode that does not exist: there are disable, no-verify, allow, prefer, require, verify-ca',
    ],
    [
      'sslmode=verify-ca&uselibpqcompat=true',
      'has uselibpqcompat=true and sslmode=verify-ca without sslrootcert=<file>',
    ],
    ['sslnegotiation=tls', 'has an sslnegotiation other than postgres and direct'],
    [`sslcert=/c.pem&sslkey=${text}`, 'has a certificate or a key as a text: write it into a file'],
    [`sslcert=/c.pem&sslkey=${'hush'.repeat(64)}`, 'has a certificate or a key as a text: write it into a file'],
    [`sslrootcert=${text}`, 'has a certificate or a key as a text: write it into a file'],
    ['sslinline=true', 'has sslinline: write certificates and keys into files'],
    ['sslcert=/hush.pem', 'has only one of sslcert and sslkey'],
    ['sslkey=/hush.pem', 'has only one of sslcert and sslkey'],
    ['sslrootcert=system&sslmode=no-verify', 'has sslrootcert=system without sslmode=verify-full'],
    ['sslrootcert=system&sslmode=require&uselibpqcompat=true', 'has sslrootcert=system without sslmode=verify-full'],
    ['sslcrl=/hush.pem', 'has sslcrl or sslcrldir: lists of revoked certificates are not read'],
    ['sslcrldir=/hush', 'has sslcrl or sslcrldir'],
    ['sslpassword=hush', 'has sslpassword: the key in the file of sslkey must have no passphrase'],
    ['requirepeer=postgres', 'has requirepeer or require_auth, which are not checked'],
    ['require_auth=scram-sha-256', 'has requirepeer or require_auth, which are not checked'],
    ['ssl_min_protocol_version=TLSv1.3', 'has ssl_min_protocol_version: set NODE_OPTIONS=--tls-min-v1.3'],
    ['gssencmode=require', 'has gssencmode=require: only TLS can encrypt the connection'],
    ['channel_binding=require', 'has channel_binding=require without sslmode=verify-full'],
  ])('that cannot be followed and must not be ignored is refused: %s', (query, fault) => {
    const refused = () => configOf(query);
    expect(refused).toThrow(`DATABASE_URL is (not shown), and ${fault}`);
    expect(refused).not.toThrow('hush');
  });
});

describe('to Postgres', () => {
  let stack: DeliveryStack | undefined;
  afterAll(() => stack?.[Symbol.asyncDispose]());

  test("a session has the service's name and time limits, whatever the url says", async () => {
    stack = await DeliveryStack.open();
    const said = 'application_name=x&statement_timeout=1&lock_timeout=1&query_timeout=1&replication=true';
    const DATABASE_URL = `${stack.databaseUrl}${stack.databaseUrl.includes('?') ? '&' : '?'}${said}`;
    const { databaseUrl } = readConfig({ DATABASE_URL, ENCRYPTION_KEYS });
    const client = new PrimaryClient(poolOptions(databaseUrl as string, 1));
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('application_name') as name, current_setting('statement_timeout') as limit, pg_sleep(0.01)`,
    );
    await client.end();
    expect(rows).toMatchObject([{ name: 'hookwright', limit: '12s' }]);
    const checks = await examine({ DATABASE_URL, ENCRYPTION_KEYS });
    expect(checks.find(({ name }) => name === 'settings')).toEqual({
      name: 'settings',
      status: 'warn',
      text: 'All settings have values that are allowed. DATABASE_URL has parameters without effect: application_name, statement_timeout, lock_timeout, query_timeout, replication.',
    });
  });

  test('the certificate of sslcert and sslkey is shown to the server, which sslrootcert verifies', async () => {
    const folder = temporaryFolder();
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const shown = Promise.withResolvers<string>();
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('S'); // it speaks TLS, for which the client has asked
        const options = { isServer: true, requestCert: true, rejectUnauthorized: false, key: KEY, cert: GOOD };
        const secured = new TLSSocket(socket, options);
        secured.on('error', shown.reject).once('data', () => {
          shown.resolve(secured.getPeerX509Certificate()?.toString() ?? 'none');
          socket.destroy();
        });
      });
    });
    const port = await listen(server);
    const files = `sslcert=${file('c.pem', GOOD)}&sslkey=${file('k.pem', KEY)}&sslrootcert=${file('ca.pem', AUTHORITY)}`;
    const before = `postgres://u:hush@127.0.0.1:${port}/d`;
    const { databaseUrl } = configOf(`${files}&sslmode=verify-ca&uselibpqcompat=true`, before);
    const end = await reachDatabase(databaseUrl as string, 'owner').catch((error: Error) => error.message);
    expect((await shown.promise).trim()).toBe(GOOD.trim());
    expect(end).toContain('terminated unexpectedly');
    server.close();
  });

  test('a file of the url that is not there is named', async () => {
    const { databaseUrl } = configOf('sslrootcert=/nowhere/ca.pem');
    await expect(reachDatabase(databaseUrl as string, 'owner')).rejects.toThrow(
      /cannot be reached: ENOENT: .*'\/nowhere\/ca.pem'\. Name files that exist, and that this user may read, in sslrootcert/,
    );
  });
});

test('the driver reads each parameter that is left in a url', () => {
  const followed = 'host=/run&port=1&user=u&password=p&options=-c%20jit%3Don&ssl=0';
  const { host, port, user, ssl } = new pg.Client({ connectionString: configOf(followed).databaseUrl });
  expect({ host, port, user, ssl }).toEqual({ host: '/run', port: 1, user: 'u', ssl: false });
});
