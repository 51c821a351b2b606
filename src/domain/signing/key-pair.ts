import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** The private half of an Ed25519 key pair (RFC 8032 §5.1.5). */
export const SEED_BYTES = 32;
/** PKCS #8 in front of a seed (RFC 8410 §7). */
const PKCS8_HEX = '302e020100300506032b657004220420';

/** The public half as receivers read it (RFC 8037 §2). */
export interface Jwk {
  kty: 'OKP';
  crv: 'Ed25519';
  alg: 'EdDSA';
  use: 'sig';
  kid: string;
  x: string;
}

interface KeyPair {
  /** Names the key: the thumbprint of its public half (RFC 7638). */
  kid: string;
  /** 32 bytes. */
  publicKey: Buffer;
  privateKey: KeyObject;
}

/** @param seed SEED_BYTES of chance */
export function keyPairOf(seed: Buffer): KeyPair {
  const key = Buffer.concat([Buffer.from(PKCS8_HEX, 'hex'), seed]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const x = createPublicKey(privateKey).export({ format: 'jwk' }).x!;
  return { kid: thumbprintOf(x), publicKey: Buffer.from(x, 'base64url'), privateKey };
}

/** The public half as Standard Webhooks writes it. */
export const publicKeyText = (publicKey: Buffer): string => `whpk_${publicKey.toString('base64')}`;

export const jwkOf = (kid: string, publicKey: Buffer): Jwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  alg: 'EdDSA',
  use: 'sig',
  kid,
  x: publicKey.toString('base64url'),
});

/** RFC 8037, appendix A.3: the members in this order, without spaces. */
const thumbprintOf = (x: string): string =>
  createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
