import { createHash, createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PEM_BYTES_MAX } from '../../src/domain/fields/read-tls.js';
import type { TlsInput } from '../../src/domain/fields/tls.js';
import { webhookFields } from '../../src/domain/fields/webhook-fields.js';
import { knownOf } from '../../src/operations/fields/kind-rules.js';
import { changedValues } from '../../src/operations/fields/rules.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { ecKey, ed25519Key, issueCertificate, pemOf, rsaKey } from '../support/issue-certificate.js';

/** The rules of certificates and keys that a webhook may have. */

const NOW = new Date('2026-06-01T12:00:00Z');
const from = new Date('2026-01-01T00:00:00Z');
const until = new Date('2027-01-01T00:00:00Z');
const known = (now: Date) => knownOf(readConfig({}, { needsEncryptionKeys: false }), () => now);

const parsed = (tls: TlsInput, now = NOW) =>
  changedValues({ delivery: webhookFields.delivery }, known(now)).safeParse({ delivery: { tls } });
function stored(tls: TlsInput, now = NOW) {
  const { data, error } = parsed(tls, now);
  expect(error?.issues).toBeUndefined();
  return data!.tls!;
}
const refused = (tls: TlsInput, now = NOW) =>
  (parsed(tls, now).error?.issues ?? []).map((issue) => [
    issue.path.slice(2).join('.'),
    (issue as unknown as { params: { code: string } }).params.code,
  ]);
const sentences = (tls: TlsInput) => (parsed(tls).error?.issues ?? []).map(({ message }) => message).join('\n');

const authority = issueCertificate({ subject: 'Acme CA', isAuthority: true, from, until });
const client = issueCertificate({ subject: 'hooks', issuer: authority, from, until });
const pair = { clientCertificatePem: client.certificate, clientKeyPem: client.key };

describe('certificates that are taken', () => {
  test('have their facts, and the public key by its hash', () => {
    const { ca, client: found } = stored({ caPem: authority.certificate, ...pair });
    expect(ca).toEqual({ pem: authority.certificate, subjects: ['CN=Acme CA'], endsAt: until.toISOString() });
    const own = new X509Certificate(client.certificate);
    const spki = own.publicKey.export({ type: 'spki', format: 'der' });
    expect(found).toEqual({
      subject: 'CN=hooks',
      issuer: 'CN=Acme CA',
      serial: own.serialNumber,
      fingerprint: own.fingerprint256,
      endsAt: until.toISOString(),
      pem: client.certificate,
      keyHash: createHash('sha256').update(spki).digest('hex'),
      open: client.key,
    });
  });

  test.each([
    ['EC P-256', ecKey()],
    ['EC P-384', ecKey('P-384')],
    ['EC P-521', ecKey('P-521')],
    ['Ed25519', ed25519Key()],
    ['RSA of 2,048 bits', rsaKey(2_048)],
    ['RSA of 4,096 bits', rsaKey(4_096)],
  ])('may have a key of %s', (_, key) => {
    const { certificate } = issueCertificate({ key, from, until });
    expect(stored({ clientCertificatePem: certificate, clientKeyPem: pemOf(key) }).client).toMatchObject({
      open: pemOf(key),
    });
  });

  test('may have the key in an older form of PEM', () => {
    const ec = createPrivateKey(client.key).export({ type: 'sec1', format: 'pem' }) as string;
    expect(stored({ ...pair, clientKeyPem: ec }).client).toMatchObject({ open: client.key });
    const key = rsaKey();
    const rsa = issueCertificate({ key, from, until });
    const clientKeyPem = key.export({ type: 'pkcs1', format: 'pem' }) as string;
    expect(stored({ clientCertificatePem: rsa.certificate, clientKeyPem }).client).toMatchObject({ open: rsa.key });
  });

  test('may have a key behind the parameters of its curve, as `openssl ecparam` writes them', () => {
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const ec = createPrivateKey(client.key).export({ type: 'sec1', format: 'pem' }) as string;
    expect(stored({ ...pair, clientKeyPem: parameters + ec }).client).toMatchObject({ open: client.key });
  });

  test('may have a chain behind them, lines that end as on Windows, and texts around them', () => {
    const between = issueCertificate({ subject: 'Between', issuer: authority, isAuthority: true, from, until });
    const leaf = issueCertificate({ subject: 'leaf', issuer: between, from, until });
    const chain = leaf.certificate + between.certificate;
    const written = `subject=CN = leaf\n${chain}\n-- \n`.replaceAll('\n', '\r\n');
    const clientKeyPem = leaf.key.replaceAll('\n', '\r\n');
    const found = stored({ clientCertificatePem: written, clientKeyPem }).client;
    expect(found).toMatchObject({ pem: chain, subject: 'CN=leaf', issuer: 'CN=Between', open: leaf.key });
  });

  test('of authorities may be several, of which some have ended', () => {
    const old = issueCertificate({ subject: 'Old CA', isAuthority: true, from: new Date('2020-01-01'), until: from });
    const caPem = old.certificate + authority.certificate;
    expect(stored({ caPem }).ca).toMatchObject({
      subjects: ['CN=Old CA', 'CN=Acme CA'],
      endsAt: until.toISOString(),
      pem: caPem,
    });
    expect(stored({ caPem })).not.toHaveProperty('client');
  });

  test.each([
    ['RSA of 2,048 bits', rsaKey(2_048)],
    ['EC of 224 bits', ecKey('secp224r1')],
    ['Ed448', generateKeyPairSync('ed448').privateKey],
  ])('of authorities may have other keys than ours, if they are long enough: %s', (_, key) => {
    const { certificate } = issueCertificate({
      subject: 'Other',
      key,
      isAuthority: true,
      issuer: authority,
      from,
      until,
    });
    expect(stored({ caPem: certificate }).ca).toMatchObject({ subjects: ['CN=Other'] });
  });

  test('may begin later: clocks differ, and they are set before they are needed', () => {
    const next = issueCertificate({ from: new Date('2026-12-01'), until });
    expect(stored({ clientCertificatePem: next.certificate, clientKeyPem: next.key }).client).not.toBeNull();
  });

  test('without a key are a renewal, which the webhook judges', () => {
    expect(stored({ clientCertificatePem: client.certificate }).client).not.toHaveProperty('open');
  });

  test('say nothing of what is left out, and null removes', () => {
    expect(stored({})).toEqual({});
    expect(stored({ caPem: undefined, clientCertificatePem: undefined, clientKeyPem: undefined })).toEqual({});
    expect(stored({ caPem: null })).toEqual({ ca: null });
    expect(stored({ clientCertificatePem: null, clientKeyPem: null })).toEqual({ client: null });
    expect(stored(pair)).not.toHaveProperty('ca');
  });

  test('may be left out beside a key, which the webhook judges', () => {
    const { keyHash } = stored(pair).client as { keyHash: string };
    expect(stored({ clientKeyPem: client.key })).toEqual({ client: { keyHash, open: client.key } });
  });
});

describe('certificates and keys that are refused', () => {
  test('are a certificate without its key, or a key without its certificate', () => {
    const keyRequired = [['clientKeyPem', 'required']];
    expect(refused({ clientKeyPem: null })).toEqual(keyRequired);
    expect(refused({ ...pair, clientKeyPem: null })).toEqual(keyRequired);
    expect(refused({ ...pair, clientCertificatePem: null })).toEqual([['clientCertificatePem', 'required']]);
  });

  const begin = '-----BEGIN CERTIFICATE-----';
  test.each([
    '',
    'garbage',
    ' ',
    begin,
    `${begin}\n-----END CERTIFICATE-----`,
    `${begin}\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----`,
    client.certificate.slice(0, -40),
    `${client.certificate}${begin}`,
    client.certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
    client.certificate + client.key,
    '{"certificate": 1}',
    '\0',
  ])('are no certificates: %j', (text) => {
    expect(refused({ caPem: text })).toEqual([['caPem', 'ca_malformed']]);
    expect(refused({ ...pair, clientCertificatePem: text })).toEqual([
      ['clientCertificatePem', 'certificate_malformed'],
    ]);
  });

  test('are more than 10', () => {
    expect(stored({ caPem: authority.certificate.repeat(10) }).ca!.subjects).toHaveLength(10);
    expect(refused({ caPem: authority.certificate.repeat(11) })).toEqual([['caPem', 'ca_malformed']]);
    expect(refused({ ...pair, clientCertificatePem: client.certificate.repeat(11) })).toEqual([
      ['clientCertificatePem', 'certificate_malformed'],
    ]);
  });

  test('are longer than 16 KiB', () => {
    const padded = (text: string, bytes: number) => `${'#'.repeat(bytes - text.length - 1)}\n${text}`;
    const most = {
      caPem: padded(authority.certificate, PEM_BYTES_MAX),
      clientCertificatePem: padded(client.certificate, PEM_BYTES_MAX),
      clientKeyPem: padded(client.key, PEM_BYTES_MAX),
    };
    expect(stored(most)).toEqual(stored({ caPem: authority.certificate, ...pair }));
    const more = Object.fromEntries(Object.entries(most).map(([name, text]) => [name, `#${text}`]));
    expect(refused(more)).toEqual([
      ['caPem', 'ca_malformed'],
      ['clientCertificatePem', 'certificate_malformed'],
      ['clientKeyPem', 'key_malformed'],
    ]);
    // Bytes count, not characters.
    expect(refused({ caPem: `€${padded(authority.certificate, PEM_BYTES_MAX - 1)}` })).toHaveLength(1);
  });

  test('have ended, to the second', () => {
    const before = new Date(until.getTime() - 1);
    expect(refused(pair, before)).toEqual([]);
    expect(refused(pair, until)).toEqual([['clientCertificatePem', 'certificate_expired']]);
    expect(refused({ caPem: authority.certificate }, before)).toEqual([]);
    expect(refused({ caPem: authority.certificate }, until)).toEqual([['caPem', 'certificate_expired']]);
  });

  test('have the key of another certificate, also of one in the chain', () => {
    const other = issueCertificate({ from, until });
    const mismatch = [['clientKeyPem', 'certificate_key_mismatch']];
    expect(refused({ ...pair, clientKeyPem: other.key })).toEqual(mismatch);
    const clientCertificatePem = authority.certificate + client.certificate;
    expect(refused({ clientCertificatePem, clientKeyPem: client.key })).toEqual(mismatch);
  });

  test.each([
    [
      'PKCS #8',
      createPrivateKey(client.key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ],
    [
      'an older form',
      createPrivateKey(client.key).export({ type: 'sec1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ],
  ])('have a key that is encrypted: %s', (_, key) => {
    expect(refused({ ...pair, clientKeyPem: key as string })).toEqual([['clientKeyPem', 'key_encrypted']]);
  });

  test.each([
    ['nothing', ''],
    ['a space', ' '],
    ['garbage', 'garbage'],
    ['a certificate', client.certificate],
    ['a public key', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string],
    ['X25519', pemOf(generateKeyPairSync('x25519').privateKey)],
    ['Ed448', pemOf(generateKeyPairSync('ed448').privateKey)],
    ['secp256k1', pemOf(ecKey('secp256k1'))],
  ])('have as a key %s', (_, clientKeyPem) => {
    expect(refused({ ...pair, clientKeyPem })).toEqual([['clientKeyPem', 'key_malformed']]);
  });

  test('have several keys, whichever of them is the right one', () => {
    const other = pemOf(ecKey());
    const older = createPrivateKey(client.key).export({ type: 'sec1', format: 'pem' }) as string;
    for (const clientKeyPem of [client.key + other, other + client.key, client.key + older, client.key.repeat(2)]) {
      expect(refused({ ...pair, clientKeyPem })).toEqual([['clientKeyPem', 'key_malformed']]);
      expect(sentences({ clientKeyPem })).toContain('must be one private key in PEM');
    }
  });

  test('have a key of RSA that is too short to be safe, or so long that connections are slow', () => {
    const key = rsaKey(2_047);
    const { certificate } = issueCertificate({ key, from, until });
    expect(refused({ clientCertificatePem: certificate, clientKeyPem: pemOf(key) })).toEqual([
      ['clientCertificatePem', 'key_too_short'],
      ['clientKeyPem', 'key_too_short'],
    ]);
    expect(sentences({ clientCertificatePem: certificate })).toContain('2048 to 4096 bits, not 2047');
    const long = pemOf(rsaKey(4_104));
    expect(refused({ ...pair, clientKeyPem: long })).toEqual([['clientKeyPem', 'key_too_long']]);
  });

  test('have what OpenSSL does not take, such as a short key in their chain', () => {
    const short = issueCertificate({ subject: 'Short', key: rsaKey(1_024), from, until });
    const clientCertificatePem = client.certificate + short.certificate;
    expect(refused({ ...pair, clientCertificatePem })).toEqual([['clientCertificatePem', 'key_too_short']]);
    expect(sentences({ ...pair, clientCertificatePem })).toBe('is refused by OpenSSL: ca key too small');
  });

  test.each([
    ['RSA of 1,024 bits', rsaKey(1_024)],
    ['EC of 192 bits', ecKey('prime192v1')],
  ])('have an authority, also behind another, with a key too short to be trusted: %s', (_, key) => {
    const short = issueCertificate({ subject: 'Short', key, isAuthority: true, from, until });
    expect(refused({ caPem: short.certificate })).toEqual([['caPem', 'key_too_short']]);
    const tls = { caPem: authority.certificate + short.certificate, ...pair };
    expect(refused(tls)).toEqual([['caPem', 'key_too_short']]);
    expect(sentences(tls)).toBe(
      'has as number 2 a certificate whose key is too short to be trusted, as RSA of less than 2048 bits is',
    );
  });

  test('and no sentence about them has a part of the key', () => {
    const lines = client.key.split('\n').filter((line) => line.length > 10 && !line.startsWith('-'));
    const wrong = [
      { ...pair, clientKeyPem: client.key.replace('\n', '\n!') },
      { ...pair, clientCertificatePem: client.key },
      { caPem: client.key, ...pair },
      { ...pair, clientCertificatePem: authority.certificate },
    ];
    for (const tls of wrong) {
      expect(sentences(tls)).not.toBe('');
      for (const line of lines) {
        expect(sentences(tls)).not.toContain(line);
      }
    }
  });
});
