import { verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { jwkOf, keyPairOf, publicKeyText } from '../../src/domain/signing/key-pair.js';
import { timesOfRotation } from '../../src/domain/signing/key-times.js';
import { keySignature } from '../../src/domain/signing/signature.js';

/** RFC 8032 §7.1, test 1, which RFC 8037 uses in its appendix A. */
const pair = keyPairOf(Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex'));

test('a seed gives the public key of RFC 8032 and the thumbprint of RFC 8037', () => {
  expect(pair.publicKey.toString('hex')).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
  expect(pair.kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  expect(jwkOf(pair.kid, pair.publicKey)).toEqual({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid: pair.kid,
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  });
  expect(publicKeyText(pair.publicKey)).toBe('whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=');
});

test('its signature is v1a and the base64 of 64 bytes, over id, timestamp and body', () => {
  const body = Buffer.from('{"name":"Zoë"}');
  const [, signature = ''] = /^v1a,([A-Za-z0-9+/]{86}==)$/.exec(
    keySignature(pair.privateKey, '4711', '1790000000', body),
  )!;
  const signed = Buffer.concat([Buffer.from('4711.1790000000.'), body]);
  const key = { key: { ...jwkOf(pair.kid, pair.publicKey) }, format: 'jwk' as const };
  expect(verify(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true);
  expect(verify(null, Buffer.concat([signed, Buffer.from(' ')]), key, Buffer.from(signature, 'base64'))).toBe(false);
});

test('a new key waits for its hours, and the one before stays published for a week', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  expect(timesOfRotation(now, 24)).toEqual({
    usedFrom: new Date('2026-12-01T12:00:00Z'),
    endsAt: new Date('2026-12-08T12:00:00Z'),
  });
});

test('after a leak it waits only until everybody knows it, and the one before ends then', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const inTenMinutes = new Date('2026-11-30T12:10:00Z');
  expect(timesOfRotation(now, 0)).toEqual({ usedFrom: inTenMinutes, endsAt: inTenMinutes });
});
