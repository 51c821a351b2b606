import { describe, expect, onTestFinished, test } from 'vitest';
import { tlsIdentity } from '../../daemon/sending/tls-identity.js';
import { answersEach, response, startHostileReceiver } from '../support/hostile-receivers.js';
import { type Issued, issueCertificate, rsaKey } from '../support/issue-certificate.js';
import { leadsTo, openSender } from '../support/sender.js';

/** Whom an endpoint is trusted by, as its webhook names them: authorities in between, and the endpoint itself. */

const NAME = 'receiver.example.com';
const names = [NAME];
const root = issueCertificate({ subject: 'Root', isAuthority: true });
const between = issueCertificate({ subject: 'Between', issuer: root, isAuthority: true });
const leaf = issueCertificate({ subject: 'leaf', issuer: between, names });
const stranger = issueCertificate({ subject: 'Stranger', isAuthority: true });

/** The answer of an endpoint that shows this chain, to a webhook that names these authorities. */
async function answer(chain: readonly Issued[], authorities: readonly Issued[], host = NAME) {
  const [{ key }] = chain as [Issued];
  const cert = chain.map(({ certificate }) => certificate).join('');
  const tls = { key, cert, ciphers: 'DEFAULT:@SECLEVEL=0' }; // it is content with weak ones
  const receiver = await startHostileReceiver(answersEach(response(200)), { tls });
  const sender = openSender({ lookup: leadsTo('127.0.0.1') });
  onTestFinished(async () => {
    await sender.close();
    await receiver.close();
  });
  const ca = authorities.map(({ certificate }) => certificate).join('');
  const own = tlsIdentity(1, 1, { ca, cert: undefined, key: undefined });
  const url = `https://${host}:${receiver.port}/hook`;
  const result = await sender.send(url, { headers: {}, body: Buffer.from('{}') }, 1, undefined, own);
  return result.kind === 'error' ? { code: result.code, received: receiver.received } : result.statusCode;
}

const fails = (code: string) => ({ code, received: '' });
const UNTRUSTED = fails('TLS_CERTIFICATE_UNTRUSTED');

describe('an endpoint that shows its certificate and the authority in between', () => {
  test.each([
    ['the root', [root]],
    ['the authority in between alone', [between]],
    ['both', [between, root]],
    ['its own certificate, which somebody has signed', [leaf]],
    ['the authority in between among others', [stranger, between]],
  ])('is trusted by %s', async (_, authorities) => {
    expect(await answer([leaf, between], authorities)).toBe(200);
  });

  test('is trusted by nobody else: another authority, one of the same name, or another certificate', async () => {
    const namesake = issueCertificate({ subject: 'Between', issuer: root, isAuthority: true });
    const other = issueCertificate({ subject: 'leaf', issuer: between, names });
    for (const authority of [stranger, namesake, other]) {
      expect(await answer([leaf, between], [authority])).toEqual(UNTRUSTED);
    }
  });
});

test.each([
  ['the authority in between', () => between],
  ['its own certificate', () => leaf],
])('the name of an endpoint is checked though it is trusted by %s', async (_, authority) => {
  expect(await answer([leaf], [authority()], 'other.example.com')).toEqual(fails('TLS_CERTIFICATE_NAME'));
});

test('an endpoint whose certificate has ended is refused, and so is one by an authority that has ended', async () => {
  const ended = { from: new Date('2020-01-01'), until: new Date('2021-01-01') };
  const old = issueCertificate({ subject: 'leaf', issuer: between, names, ...ended });
  const expired = fails('TLS_CERTIFICATE_EXPIRED');
  for (const authority of [root, between, old]) {
    expect(await answer([old, between], [authority])).toEqual(expired);
  }
  const formerly = issueCertificate({ subject: 'Formerly', issuer: root, isAuthority: true, ...ended });
  const young = issueCertificate({ subject: 'leaf', issuer: formerly, names });
  expect(await answer([young], [formerly])).toEqual(expired);
});

test('an endpoint that is trusted by its own certificate can sign for no other', async () => {
  const forged = issueCertificate({ subject: 'forged', issuer: leaf, names });
  expect(await answer([forged, leaf], [leaf])).toEqual(UNTRUSTED);
});

test.each([
  ['a signature by SHA-1', () => [issueCertificate({ issuer: root, names, digest: 'sha1' }), root]],
  ['a key that is too short', () => [issueCertificate({ issuer: root, names, key: rsaKey(1_024) }), root]],
  [
    'an authority with a key that is too short',
    () => {
      const short = issueCertificate({ subject: 'Short', key: rsaKey(1_024), isAuthority: true });
      return [issueCertificate({ issuer: short, names }), short];
    },
  ],
])('an endpoint whose certificate has %s is not trusted, and no connection is said to have failed', async (_, made) => {
  const [own, authority] = made() as [Issued, Issued];
  expect(await answer([own], [authority])).toEqual(UNTRUSTED);
});
