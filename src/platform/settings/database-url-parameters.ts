type Parameters = ReadonlyMap<string, string>;

/** The driver follows these. `ssl` and `uselibpqcompat` are its own, all others are libpq's too. */
const FOLLOWED = new Set([
  ...['host', 'port', 'user', 'password', 'options'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);

/** The driver verifies certificate and name in all of these. */
const VERIFYING_MODES = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const MODES = ['disable', 'no-verify', ...VERIFYING_MODES];

/** The word of libpq for the public authorities, in place of a file. */
const PUBLIC_AUTHORITIES = 'system';

const always = () => true;
const isNoneOf = (words: string[]) => (value: string) => !words.includes(value);

/**
 * Parameters that can neither be followed nor ignored: they say where to connect, or ask for more security. Each with
 * the end of a sentence about the url.
 */
const refusals: readonly [names: string[], isRefused: (value: string, all: Parameters) => boolean, which: string][] = [
  [
    ['host'],
    (value) => value.includes(','),
    'names several hosts as a parameter: write them before the database, as host1:5432,host2:5432',
  ],
  [['port'], (value) => !/^\d{1,5}$/.test(value), 'has the parameter port, and it is not one number'],
  [['hostaddr'], always, 'has hostaddr: write the address as the host'],
  [['dbname'], always, 'has dbname: write the database behind the host, as in postgres://host/database'],
  [['service', 'servicefile'], always, 'has service: such files are not read, so write host and database in the url'],
  [['passfile'], always, 'has passfile: such files are not read, so write the password in the url'],
  [
    ['target_session_attrs'],
    isNoneOf(['read-write', 'primary']),
    'has target_session_attrs: only read-write is possible, and needs not be said',
  ],
  [
    ['client_encoding'],
    (value) => !/^utf-?8$/i.test(value),
    'has client_encoding: only UTF8 is possible, and needs not be said',
  ],
  [['sslmode'], isNoneOf(MODES), `has an sslmode that does not exist: there are ${MODES.join(', ')}`],
  [
    ['sslmode'],
    (value, all) => value === 'verify-ca' && isCompatible(all) && !all.has('sslrootcert'),
    'has uselibpqcompat=true and sslmode=verify-ca without sslrootcert=<file>',
  ],
  [['sslnegotiation'], isNoneOf(['postgres', 'direct']), 'has an sslnegotiation other than postgres and direct'],
  [
    ['sslcert', 'sslkey', 'sslrootcert'],
    isText,
    'has a certificate or a key as a text: write it into a file, and name that in sslcert, sslkey or sslrootcert',
  ],
  [
    ['sslinline'],
    (value) => value === 'true',
    'has sslinline: write certificates and keys into files, and name these in sslcert, sslkey and sslrootcert',
  ],
  [
    ['sslcert', 'sslkey'],
    (_, all) => !(all.has('sslcert') && all.has('sslkey')),
    'has only one of sslcert and sslkey: a certificate of the client needs its key',
  ],
  [
    ['sslrootcert'],
    (value, all) => value === PUBLIC_AUTHORITIES && !isVerified(all),
    'has sslrootcert=system without sslmode=verify-full',
  ],
  [['sslcrl', 'sslcrldir'], always, 'has sslcrl or sslcrldir: lists of revoked certificates are not read'],
  [['sslpassword'], always, 'has sslpassword: the key in the file of sslkey must have no passphrase'],
  [['requirepeer', 'require_auth'], always, 'has requirepeer or require_auth, which are not checked: leave them out'],
  [
    ['ssl_min_protocol_version'],
    (value) => value === 'TLSv1.3',
    'has ssl_min_protocol_version: set NODE_OPTIONS=--tls-min-v1.3 in its place',
  ],
  [
    ['gssencmode'],
    (value) => value === 'require',
    'has gssencmode=require: only TLS can encrypt the connection, with sslmode=verify-full',
  ],
  [
    ['channel_binding'],
    (value, all) => value === 'require' && !isVerified(all),
    'has channel_binding=require without sslmode=verify-full, which verifies the server in its place',
  ],
];

/** The names in `refusals`. Where they are not refused, nothing is lost when they are left out. */
const JUDGED = new Set(refusals.flatMap(([names]) => names));

/** @returns the end of a sentence, without a part of the url; null: all parameters are followed, or may be ignored */
export function parameterFault(url: string): string | null {
  const all = new Map(parametersIn(url));
  const fault = refusals.find(([names, isRefused]) =>
    names.some((name) => all.has(name) && isRefused(all.get(name) as string, all)),
  );
  return fault?.[2] ?? null;
}

/** The names of the parameters that have no effect. */
export function ignoredParameters(url: string): string[] {
  const names = parametersIn(url).map(([name]) => name);
  return [...new Set(names)].filter((name) => !FOLLOWED.has(name) && !JUDGED.has(name));
}

/**
 * Leaves only what is to be followed: the driver would take others, such as `application_name` and
 * `statement_timeout`, in place of the values that the service needs. Modes of TLS are written as what they do, so that
 * no newer driver makes them weaker.
 */
export function asDriverReadsIt(url: string): string {
  const [, base = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  const all = new Map(parametersIn(url));
  const isSystem = all.get('sslrootcert') === PUBLIC_AUTHORITIES;
  const parts = query.split('&').flatMap((part) => {
    const [name, value] = parameterOf(part);
    if (!FOLLOWED.has(name) || value === '' || (name === 'sslrootcert' && isSystem)) {
      return [];
    }
    if (name === 'sslmode' && VERIFYING_MODES.includes(value) && !isCompatible(all)) {
      return ['sslmode=verify-full'];
    }
    // The driver takes every text but these two for a demand of TLS.
    return name === 'ssl' && ['false', 'disable'].includes(value) ? ['ssl=0'] : [part];
  });
  if (isSystem && !all.has('sslmode')) {
    parts.push('sslmode=verify-full');
  }
  return parts.length === 0 ? base : `${base}?${parts.join('&')}`;
}

/** An empty parameter is the same as none. */
const parametersIn = (url: string): [string, string][] =>
  [...new URLSearchParams(/\?(.*)$/s.exec(url)?.[1])].filter(([, value]) => value !== '');

const parameterOf = (part: string): [name: string, value: string] => [...new URLSearchParams(part)][0] ?? ['', ''];

/** Whether certificate and name of the server are verified. */
function isVerified(all: Parameters): boolean {
  const mode = all.get('sslmode');
  if (isCompatible(all)) {
    return mode === 'verify-full';
  }
  return mode === undefined ? all.has('sslrootcert') : VERIFYING_MODES.includes(mode);
}

/** The driver then reads the modes of TLS as libpq does. */
const isCompatible = (all: Parameters): boolean => all.get('uselibpqcompat') === 'true';

/** A text in place of a path would be in the error about a file that does not exist. */
function isText(path: string): boolean {
  return path.includes('-----') || path.split('/').some((name) => name.length > 255);
}
