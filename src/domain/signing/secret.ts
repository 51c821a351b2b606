import { createSecretKey, type KeyObject } from 'node:crypto';

/** 33 bytes are 44 base64 characters without padding, so a secret is 50 characters. */
export const SECRET_BYTES = 33;

const SECRET = /^whsec_([A-Za-z0-9+/]{44})$/;

export interface SecretKeys {
  /** The whole text of the secret, with its `whsec_` (docs/interface.md, "Deliveries"). */
  contract: KeyObject;
  /** The bytes behind `whsec_`, as Standard Webhooks has it. */
  standard: KeyObject;
}

/** The signing secret as the tenant sees it. @param bytes SECRET_BYTES of chance */
export const formatSecret = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;

/**
 * @throws TypeError for a text that `formatSecret` cannot have made: Buffer skips what is not base64, so a damaged
 *   secret would otherwise sign with a shorter key
 */
export function secretKeys(secret: string): SecretKeys {
  const base64 = SECRET.exec(secret)?.[1];
  // The message must not quote the text: it may be a secret with one wrong character.
  if (base64 === undefined) {
    throw new TypeError('Not a signing secret: expected whsec_ and 44 base64 characters');
  }
  return {
    contract: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(base64, 'base64'),
  };
}
