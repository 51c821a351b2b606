import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES-256. */
export const ENVELOPE_KEY_BYTES = 32;
/** 96 bits, the size that GCM is made for (NIST SP 800-38D §5.2.1.1). */
export const ENVELOPE_NONCE_BYTES = 12;

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ENVELOPE_NONCE_BYTES;

/**
 * Encrypts with AES-256-GCM. The result is 1 version byte, the nonce, the ciphertext and 16 tag bytes. It opens only
 * with the same `aad`, which binds it to its tenant and webhook: moved to another row it is worthless.
 *
 * @param nonce random and new each time: two texts under one key and nonce give both away
 */
export function seal(key: Buffer, plaintext: Buffer, aad: string, nonce: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, ciphertext, cipher.getAuthTag()]);
}

/** @throws Error when it was cut or changed, or for another key or `aad`; the message never says which */
export function open(key: Buffer, sealed: Buffer, aad: string): Buffer {
  // A slice that is too short would leave a short tag, which is easier to forge.
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) {
    throw cannotOpen();
  }
  const tagStart = sealed.length - TAG_BYTES;
  const nonce = sealed.subarray(1, HEAD_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(sealed.subarray(tagStart));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, tagStart)), decipher.final()]);
  } catch (cause) {
    throw cannotOpen(cause);
  }
}

function cannotOpen(cause?: unknown): Error {
  return new Error('The envelope cannot be opened: wrong key, wrong owner, or damaged', { cause });
}
