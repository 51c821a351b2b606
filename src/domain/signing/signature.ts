import { createHmac, type KeyObject, sign } from 'node:crypto';

/**
 * The value of `X-Service-Signature`: `sha256=` and the hex HMAC-SHA256 of the raw body (docs/interface.md,
 * "Deliveries"). The key is the whole secret text: `secretKeys(secret).contract`.
 */
export function contractSignature(key: KeyObject, body: Buffer): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/**
 * One entry of `webhook-signature`: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks,
 * "Signature scheme"). The key is `secretKeys(secret).standard`.
 */
export function standardSignature(key: KeyObject, id: string, timestampSeconds: number, body: Buffer): string {
  // The body goes in as bytes: as text, bytes that are not UTF-8 would be signed as something else than what is sent.
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
}

/**
 * An entry by a key pair: `v1a,` and the base64 Ed25519 signature of `id.timestamp.body` (Standard Webhooks, "Signature
 * scheme").
 */
export const keySignature = (key: KeyObject, id: string, timestamp: string, body: Buffer): string =>
  keyEntry(sign(null, keySigned(id, timestamp, body), key));

/** The bytes that a key pair signs, as a whole: Ed25519 reads them twice. */
export const keySigned = (id: string, timestamp: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);

export const keyEntry = (signature: Buffer): string => `v1a,${signature.toString('base64')}`;
