import type { Claim } from './claim.js';
import type { SecretKeys } from './secrets.js';

export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Which secret a claimed signature fits. All are tried, and each comparison reads the whole text, so the time it takes
 * says nothing about a secret.
 *
 * @returns its place, or -1
 */
export async function fittingSecret(secrets: readonly SecretKeys[], claim: Claim, body: Bytes): Promise<number> {
  const fits = await Promise.all(
    secrets.map(async (secret) => {
      const expected = await signatureOf(secret, claim, body);
      return claim.signatures.filter((signature) => isEqual(signature, expected)).length > 0;
    }),
  );
  return fits.indexOf(true);
}

/** @returns base64, or hex for the contract's scheme: what stands after `v1,` or `sha256=` */
export async function signatureOf(
  secret: SecretKeys,
  { scheme, id, timestamp }: Omit<Claim, 'signatures'>,
  body: Bytes,
): Promise<string> {
  if (scheme === 'contract') {
    const digest = await hmac(secret.contract, body);
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return btoa(String.fromCharCode(...(await hmac(secret.standard, signedBytes(id, timestamp, body)))));
}

/** The bytes that the entries of `webhook-signature` sign. */
export function signedBytes(id: string, timestamp: string, body: Bytes): Bytes {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return signed;
}

async function hmac(key: Bytes, data: Bytes): Promise<Uint8Array> {
  const { subtle } = crypto;
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, data));
}

function isEqual(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index);
  }
  return difference === 0;
}
