import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/platform/settings/config.js';
import { SecretSetting } from '../src/platform/settings/setting.js';
import { settings } from '../src/platform/settings/settings.js';
import { temporaryFolder } from './support/temporary-folder.js';

const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

describe('reading the settings', () => {
  test('without any, the all-in-one mode listens on loopback only and allows http to loopback', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      embedded: true,
      host: '127.0.0.1',
      port: 3000,
      holdHours: 168,
      retentionDays: 30,
    });
    expect(config.deliveryDefaults).toMatchObject({
      timeoutMs: 15_000,
      retryDelaysSeconds: [120, 240, 480, 960, 1920],
      recovery: 'MANUAL',
    });
    expect(config.target).toEqual({ allowHttp: false, allowedRanges: [], loopbackHttp: true });
  });

  test.each([
    [{}, 30_000],
    [{ ATTEMPT_TIMEOUT_MS: '45000' }, 45_000],
    [{ ATTEMPT_TIMEOUT_MAX_MS: '120000' }, 120_000],
    [{ ATTEMPT_TIMEOUT_MAX_MS: '1000' }, 1_000],
  ])('with %j a webhook may have a timeout of up to %d ms', (env, most) => {
    expect(readConfig(env).delivery.attemptTimeoutMsMax).toBe(most);
  });

  const opensLoopback = (env: Record<string, string>) => readConfig(env).target.loopbackHttp;

  test.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST'])(
    'all in one, loopback targets are open while the API listens on %s alone',
    (host) => {
      expect(opensLoopback({ HOST: host })).toBe(true);
      expect(opensLoopback({ HOST: host, TRUSTED_PROXIES: '10.0.0.1' })).toBe(false);
      expect(opensLoopback({ HOST: host, TRUSTED_PROXIES: '127.0.0.1' })).toBe(false);
    },
  );

  test('localhost is one address', () => {
    expect(readConfig({ HOST: 'localhost' }).host).toBe('127.0.0.1');
  });

  test.each(['0.0.0.0', '::', '10.0.0.1', '192.168.1.2', 'a.example.com', 'a.localhost', '127.0.0.1.nip.io'])(
    'all in one, loopback targets are closed when the API listens on %s',
    (host) => {
      expect(opensLoopback({ HOST: host })).toBe(false);
    },
  );

  test('ALLOW_LOOPBACK_TARGETS decides otherwise, in both directions and both modes', () => {
    const split = { DATABASE_URL: 'postgres://x/y', ENCRYPTION_KEYS: key };
    expect(opensLoopback(split)).toBe(false);
    expect(opensLoopback({ ...split, HOST: '127.0.0.1' })).toBe(false);
    for (const env of [{}, { HOST: '0.0.0.0' }, { TRUSTED_PROXIES: '10.0.0.1' }, split]) {
      expect(opensLoopback({ ...env, ALLOW_LOOPBACK_TARGETS: 'true' })).toBe(true);
      expect(opensLoopback({ ...env, ALLOW_LOOPBACK_TARGETS: 'false' })).toBe(false);
    }
    expect(() => readConfig({ ALLOW_LOOPBACK_TARGETS: 'yes' })).toThrow(
      'ALLOW_LOOPBACK_TARGETS is "yes"; allowed: true or false.',
    );
  });

  test.each(['127.0.0.0/8', '127.0.0.5', '::1', '0.0.0.0/0', '::/0', '10.0.0.0/8,127.1.0.0/16'])(
    'ALLOW_LOOPBACK_TARGETS=false contradicts ALLOW_PRIVATE_TARGETS=%s',
    (ranges) => {
      const env = { ALLOW_PRIVATE_TARGETS: ranges };
      expect(() => readConfig({ ...env, ALLOW_LOOPBACK_TARGETS: 'false' })).toThrow(
        /^ALLOW_LOOPBACK_TARGETS is false and ALLOW_PRIVATE_TARGETS opens loopback addresses/,
      );
      expect(() => readConfig({ ...env, ALLOW_LOOPBACK_TARGETS: 'true' })).not.toThrow();
    },
  );

  test('HEADER_PREFIX may not give the headers of Standard Webhooks a second meaning', () => {
    for (const HEADER_PREFIX of ['Webhook', 'webhook']) {
      expect(() => readConfig({ HEADER_PREFIX })).toThrow(`HEADER_PREFIX is ${HEADER_PREFIX}: the headers of`);
      expect(() => readConfig({ HEADER_PREFIX, STANDARD_WEBHOOKS: 'false' })).not.toThrow();
    }
    expect(() => readConfig({ HEADER_PREFIX: 'Webhooks' })).not.toThrow();
  });

  test('ALLOW_LOOPBACK_TARGETS=false goes with other private ranges', () => {
    const env = { ALLOW_LOOPBACK_TARGETS: 'false', ALLOW_PRIVATE_TARGETS: '10.0.0.0/8,fd00::/8' };
    expect(() => readConfig(env)).not.toThrow();
  });

  test('an empty variable is the same as none', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}));
  });

  test('with a database of its own, the service listens everywhere and wants encryption keys', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://x/y' })).toThrow(/ENCRYPTION_KEYS is not set/);
    const config = readConfig({ DATABASE_URL: 'postgres://x/y', ENCRYPTION_KEYS: key });
    expect(config).toMatchObject({ embedded: false, host: '::', target: { loopbackHttp: false } });
    expect(config.encryptionKeys).toEqual([{ kid: 'k1', key: Buffer.alloc(32, 7) }]);
  });

  test('every bad setting is named with its value and what is allowed', () => {
    const problem = (() => {
      try {
        readConfig({ PORT: '70000', MAX_RETRIES: 'many', LOG_LEVEL: 'loud' });
      } catch (error) {
        return error as ConfigError;
      }
    })();
    expect(problem).toBeInstanceOf(ConfigError);
    expect(problem?.message.split('\n')).toEqual(
      [
        'LOG_LEVEL is "loud"; allowed: trace, debug, info, warn, error, fatal or silent.',
        'PORT is "70000"; allowed: a port, 0 to 65535 (0: any free one).',
        'MAX_RETRIES is "many"; allowed: 0 to 50.',
      ].toSorted((a, b) => problem!.message.indexOf(a) - problem!.message.indexOf(b)),
    );
  });

  test.each([
    ['PORT', '0', '65535', ['-1', '65536', '1.5', ' 1', '1e3']],
    ['RETENTION_DAYS', '9', '3650', ['7', '3651']],
    ['PAYLOAD_BYTES_MAX', '1024', '1048576', ['1023', '1048577']],
    ['HOLD_HOURS', '1', '600', ['0', '2161']],
  ])('%s takes %s and %s, and nothing beyond', (name, low, high, refused) => {
    expect(() => readConfig({ [name]: low })).not.toThrow();
    expect(() => readConfig({ [name]: high })).not.toThrow();
    for (const value of refused) {
      expect(() => readConfig({ [name]: value })).toThrow(`${name} is`);
    }
  });

  test('held deliveries may not be dropped while they wait', () => {
    expect(() => readConfig({ HOLD_HOURS: '720', RETENTION_DAYS: '31' })).toThrow(/RETENTION_DAYS.*at least 32/);
    expect(() => readConfig({ HOLD_HOURS: '720', RETENTION_DAYS: '32' })).not.toThrow();
  });

  test('a misspelt setting is not ignored', () => {
    expect(() => readConfig({ MAX_RETRYS: '9' })).toThrow('MAX_RETRYS is not a setting; did you mean MAX_RETRIES?');
    for (const name of ['MAX_RETRY', 'METRIC_PORT', 'ENCRYPTION_KEY', 'WEBHOOKS_PER_TENANTS_MAX']) {
      expect(() => readConfig({ [name]: '1' })).toThrow(`${name} is not a setting; did you mean`);
    }
    expect(() => readConfig({ HOME: '/x', PATH: '/y', NODE_ENV: 'production' })).not.toThrow();
  });

  test.each([
    ['"postgres://u:p@h/d"', 'does not begin with postgres:// or postgresql://'],
    [' postgres://u:p@h/d', 'does not begin with postgres:// or postgresql://'],
    ['jdbc:postgresql://h:5432/d?user=u', 'does not begin with postgres:// or postgresql://'],
    ['mysql://h/d', 'does not begin with postgres:// or postgresql://'],
    ['localhost:5432/db', 'does not begin with postgres:// or postgresql://'],
    ['postgres://u:p@h/d\n', 'has a blank, a line break, or a quotation mark at its end'],
    ['postgres://u:p@h/d"', 'has a blank, a line break, or a quotation mark at its end'],
    ['postgres://u:two words@h/d', 'has a blank, a line break, or a quotation mark at its end'],
    ['postgres://u:half#half@h/d', 'has a #'],
    ['postgres://u:1#half@h/d', 'has a #'],
    ['postgres://u:100%pure@h/d', 'has a % that begins no escape'],
    ['postgres://u:%FF@h/d', 'has a % that begins no escape'],
    ['postgres://u:p@one,two:port/d', 'cannot be read: is the port a number up to 65535'],
    ['postgres://u:sla/sh@h/d', 'cannot be read: is the port a number up to 65535'],
    ['postgres://u:p@h:99999/d', 'cannot be read: is the port a number up to 65535'],
    ['postgres://u:p@h', 'names no database'],
    ['postgres://u:p@h:5432/', 'names no database'],
    ['postgres://u:p@h?sslmode=verify-full', 'names no database'],
    ['postgres:///?host=/var/run/postgresql', 'names no database'],
  ])('DATABASE_URL refuses %j without showing it, because it %s, and says what is allowed', (url, fault) => {
    const refused = () => readConfig({ DATABASE_URL: url, ENCRYPTION_KEYS: key });
    expect(refused).toThrow(`DATABASE_URL is (not shown), and ${fault}`);
    expect(refused).toThrow(/; allowed: a postgres:\/\/ URL such as .*%25 \(%\)/);
    expect(refused).not.toThrow(url);
  });

  test.each([
    'postgres://user:100%25pure%23%20@localhost/db?options=-c%20jit%3Don',
    'postgresql://localhost/db',
    'postgres://user@/db?host=/var/run/postgresql',
    'postgres:///db?host=/var/run/postgresql',
    'postgres://user:p@[::1]:5433/db?sslmode=verify-full',
    'postgres://user:p,w@localhost/db?options=-c%20search_path%3Da,b',
    'postgres://user:p@localhost/db?sslmode=require&uselibpqcompat=true',
  ])('DATABASE_URL takes %s as it is', (url) => {
    expect(readConfig({ DATABASE_URL: url, ENCRYPTION_KEYS: key }).databaseUrl).toBe(url);
  });

  test('a bad encryption key is refused without being shown', () => {
    const bad = 'k1:c2hvcnQ=';
    expect(() => readConfig({ ENCRYPTION_KEYS: bad })).toThrow(
      /^ENCRYPTION_KEYS is \(not shown\); allowed: kid:base64/,
    );
    expect(() => readConfig({ ENCRYPTION_KEYS: `${key},${key}` })).toThrow(/each kid once/);
  });

  test.each(['10.0.0.0/8', '127.0.0.1', '::1/128,fd00::/8'])('ALLOW_PRIVATE_TARGETS takes %s', (ranges) => {
    expect(readConfig({ ALLOW_PRIVATE_TARGETS: ranges }).target.allowedRanges).toEqual(ranges.split(','));
  });

  test.each(['https://*.example.com', 'https://App.example.com', 'https://app.example.com:443', 'https://a?b', 'null'])(
    'CORS_ORIGINS refuses %s, which no browser sends',
    (origin) => {
      expect(() => readConfig({ CORS_ORIGINS: origin })).toThrow(/CORS_ORIGINS/);
    },
  );

  test('DATABASE_POOL_MAX has its limit in the service’s own Postgres, where that is used', () => {
    expect(() => readConfig({ DATABASE_POOL_MAX: '23' })).toThrow(/DATABASE_POOL_MAX.*22 at most/);
    expect(() => readConfig({ DATABASE_POOL_MAX: '22' })).not.toThrow();
    const own = {
      DATABASE_URL: 'postgres://localhost/a',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    };
    expect(() => readConfig({ ...own, DATABASE_POOL_MAX: '23' })).not.toThrow();
  });

  test.each(['10.0.0.0/33', '0.0.0.0/0', '::/00', 'loopback'])('TRUSTED_PROXIES refuses %s', (ranges) => {
    expect(() => readConfig({ TRUSTED_PROXIES: ranges })).toThrow('TRUSTED_PROXIES is');
  });

  test('an emit limit leaves room for one full batch at once', () => {
    const burst = (rate: string) => readConfig({ EMIT_RATE_MAX: rate }).quotas.emits?.burst;
    expect([burst('0'), burst('1'), burst('101')]).toEqual([undefined, 100, 101]);
  });

  test.each([
    ['HEADER_PREFIX', '9-Lives', 'a letter first'],
    ['TRUSTED_PROXIES', '0.0.0.0/0', 'not the range of all addresses'],
    ['ENCRYPTION_KEYS', key.replace('k1', 'k/1'), '1 to 64 letters, digits, dots, hyphens and underscores'],
  ])('%s: the rule that %s breaks is told', (name, value, rule) => {
    expect(() => readConfig({ [name]: value })).toThrow(rule);
  });

  test.each(['10.0.0.0/33', 'localhost', '10/8', '::1/129', '10.0.0.0/8/8'])(
    'ALLOW_PRIVATE_TARGETS refuses %s',
    (ranges) => {
      expect(() => readConfig({ ALLOW_PRIVATE_TARGETS: ranges })).toThrow('ALLOW_PRIVATE_TARGETS is');
    },
  );
});

describe('a secret from a file', () => {
  const folder = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const url = 'postgres://u:hush@h/d';

  test('is a choice for each setting that holds one', () => {
    const secrets = Object.values(settings).filter((setting) => setting instanceof SecretSetting);
    expect(secrets.length).toBeGreaterThan(6);
    for (const { name } of secrets) {
      expect(() => readConfig({ [`${name}_FILE`]: '/nowhere' })).toThrow(
        `${name} comes from the file /nowhere (${name}_FILE), which cannot be read (ENOENT). Write its value there`,
      );
    }
  });

  test.each([
    ['', ''],
    ['', '\n'],
    ['\uFEFF', '\r\n'],
  ])('is read without a byte order mark and one line break at its end: %j, %j', (begin, end) => {
    const ENCRYPTION_KEYS_FILE = file('keys', `${begin}${key}${end}`);
    const config = readConfig({ DATABASE_URL_FILE: file('url', `${begin}${url}${end}`), ENCRYPTION_KEYS_FILE });
    expect(config).toMatchObject({ databaseUrl: url, encryptionKeys: [{ kid: 'k1', key: Buffer.alloc(32, 7) }] });
    expect(config.secretFiles).toEqual({ DATABASE_URL: join(folder, 'url'), ENCRYPTION_KEYS: ENCRYPTION_KEYS_FILE });
  });

  test('may be one of the credentials of systemd, whose folder has other files too', () => {
    const CREDENTIALS_DIRECTORY = temporaryFolder();
    writeFileSync(join(CREDENTIALS_DIRECTORY, 'OIDC_CLIENT_SECRET'), 'hush\n');
    writeFileSync(join(CREDENTIALS_DIRECTORY, 'PORT'), '1');
    expect(readConfig({ CREDENTIALS_DIRECTORY }).secretFiles).toEqual({
      OIDC_CLIENT_SECRET: join(CREDENTIALS_DIRECTORY, 'OIDC_CLIENT_SECRET'),
    });
    expect(readConfig({ CREDENTIALS_DIRECTORY }).port).toBe(3000);
    const OIDC_CLIENT_SECRET_FILE = file('secret', 'other');
    expect(() => readConfig({ CREDENTIALS_DIRECTORY, OIDC_CLIENT_SECRET_FILE })).toThrow(
      `OIDC_CLIENT_SECRET is set in several places: the file ${OIDC_CLIENT_SECRET_FILE} (OIDC_CLIENT_SECRET_FILE) and the file ${join(CREDENTIALS_DIRECTORY, 'OIDC_CLIENT_SECRET')} (CREDENTIALS_DIRECTORY). Keep one of them.`,
    );
  });

  test('stops the start where there are two, it is empty, a folder, or not allowed; it is never shown', () => {
    const DATABASE_URL_FILE = file('url', url);
    const refused = (env: Record<string, string>) => {
      try {
        readConfig({ ENCRYPTION_KEYS: key, ...env });
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ DATABASE_URL: url, DATABASE_URL_FILE })).toBe(
      `DATABASE_URL is set in several places: the variable of this name and the file ${DATABASE_URL_FILE} (DATABASE_URL_FILE). Keep one of them.`,
    );
    expect(refused({ DATABASE_URL_FILE: file('empty', '\n') })).toContain('empty (DATABASE_URL_FILE), which is empty.');
    expect(refused({ DATABASE_URL_FILE: folder })).toContain('which cannot be read (EISDIR).');
    expect(refused({ DATABASE_URL_FILE: file('half', `${url}#x`) })).toContain(
      `DATABASE_URL (in ${join(folder, 'half')}) is (not shown), and has a #; allowed: `,
    );
    expect(refused({ DATABASE_URLS_FILE: '/x' })).toContain('did you mean DATABASE_URL_FILE?');
    expect(readConfig({ DATABASE_URL_FILE: '' }).embedded).toBe(true);
  });
});

describe('PUBLIC_URL', () => {
  test.each([
    ['https://hooks.example.com', ''],
    ['https://example.com/hooks', '/hooks'],
    ['http://localhost:8080/a/b-c.d_e~1', '/a/b-c.d_e~1'],
    ['https://example.com/api/hooks', '/api/hooks'],
  ])('%s has the path %j', (PUBLIC_URL, basePath) => {
    expect(readConfig({ PUBLIC_URL })).toMatchObject({ publicUrl: PUBLIC_URL, basePath });
  });

  test.each([
    ...[
      'https://example.com/',
      'https://example.com/hooks/',
      'https://example.com//hooks',
      'https://Example.com/hooks',
    ],
    ...[
      'https://example.com/a/../b',
      'https://example.com/h?x',
      'https://example.com/h#x',
      'https://example.com/h%20k',
    ],
    ...['https://example.com:443/hooks', 'ftp://example.com/hooks', 'example.com/hooks', 'https://u@example.com/hooks'],
    ...['https://example.com/console', 'https://example.com/api/v1/hooks', 'https://example.com/api'],
  ])('%s is refused', (PUBLIC_URL) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow('PUBLIC_URL is');
  });
});

describe('signing in by OpenID Connect', () => {
  const whole = {
    PUBLIC_URL: 'https://hooks.example.com',
    OIDC_ISSUER: 'https://login.example.com/realms/a',
    OIDC_CLIENT_ID: 'hookwright',
    OIDC_ROLE_VIEWER: 'staff, support',
  };

  test('is off without OIDC_ISSUER', () => {
    const { OIDC_ISSUER: _, ...rest } = whole;
    expect(readConfig(rest).oidc).toBe(null);
  });

  test('takes what it needs; the provider is called by its host', () => {
    expect(readConfig(whole).oidc).toEqual({
      issuer: 'https://login.example.com/realms/a',
      name: 'login.example.com',
      clientId: 'hookwright',
      clientSecret: undefined,
      scopes: 'openid profile email',
      rolesClaim: 'groups',
      roles: { admin: [], support: [], viewer: ['staff', 'support'] },
      publicUrl: 'https://hooks.example.com',
      origin: 'https://hooks.example.com',
      basePath: '',
    });
    const loopback = { PUBLIC_URL: 'http://localhost:3000', OIDC_ISSUER: 'http://127.0.0.1:9000' };
    expect(readConfig({ ...whole, ...loopback, OIDC_NAME: 'SSO' }).oidc?.name).toBe('SSO');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['an issuer over http', { OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER is "http:/],
    ['a host that only begins like loopback', { OIDC_ISSUER: 'http://localhost.example.com' }, /^OIDC_ISSUER/],
    ['an issuer with a query', { OIDC_ISSUER: 'https://login.example.com?x=1' }, /^OIDC_ISSUER/],
    ['no PUBLIC_URL', { PUBLIC_URL: '' }, /^PUBLIC_URL is not set; with OIDC_ISSUER it must be/],
    ['PUBLIC_URL over http', { PUBLIC_URL: 'http://hooks.example.com' }, /^PUBLIC_URL is http:/],
    ['no client', { OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID is not set/],
    ['no role', { OIDC_ROLE_VIEWER: ' , ' }, /nobody could sign in/],
    ['no scope openid', { OIDC_SCOPES: 'profile' }, /^OIDC_SCOPES is "profile"/],
    ['a misspelt role', { OIDC_ROLES_ADMIN: 'x' }, /did you mean OIDC_ROLE_ADMIN/],
  ])('stops the start with %s', (_what, wrong, sentence) => {
    expect(() => readConfig({ ...whole, ...wrong })).toThrow(sentence);
  });
});
