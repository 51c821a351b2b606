import { createSecretKey, type KeyObject } from 'node:crypto';

/** 33 bytes are 44 base64 characters without padding, so a secret of the service is 50 characters. */
export const SECRET_BYTES = 33;
/** The shortest and the longest secret of any form, in characters. */
export const SECRET_CHARS = { min: 16, max: 256 };

/** How long a secret that came with a webhook of another service may sign beside the new one. */
export const PREVIOUS_SECRET_DAYS_MAX = 30;

const PREFIX = 'whsec_';
const B64 = '[A-Za-z0-9+/]';
const OF_16_TO_75_BYTES = `(?:${B64}{4}){5,24}(?:${B64}{2}==|${B64}{3}=|${B64}{4})`;
/** A text that has `whsec_` behind blanks or quotation marks was copied with them. Blanks alone are no secret. */
const TEXT = `(?![ "']*${PREFIX})(?! *$)[ -~]{${SECRET_CHARS.min},${SECRET_CHARS.max}}`;
const SECRET = new RegExp(`^(?:${PREFIX}${OF_16_TO_75_BYTES}|${TEXT})$`);

/** Both forms of a secret, as the end of a sentence. `packages/receiver/src/secrets.ts` knows the same. */
export const SECRET_FORMS = 'whsec_ and the base64 of 16 to 75 bytes, or 16 to 256 printable ASCII characters';

export interface SecretKeys {
  /** The whole text of the secret, with its `whsec_` (docs/interface.md, "Deliveries"). */
  contract: KeyObject;
  /** The bytes behind `whsec_`, as Standard Webhooks has it; those of the whole text where it has no `whsec_`. */
  standard: KeyObject;
}

/** The signing secret as the tenant sees it. @param bytes SECRET_BYTES of chance */
export const formatSecret = (bytes: Buffer): string => `${PREFIX}${bytes.toString('base64')}`;

/** The only form that daemons sign with which do not report OTHER_SECRETS among what they know. */
const FIRST_FORM = new RegExp(`^${PREFIX}${B64}{44}$`);
/** The name of secrets in other forms among what daemons know, and the version from which on they do. */
export const OTHER_SECRETS = { name: 'otherSecrets', since: '0.2.0' };

export const isOfFirstForm = (secret: string): boolean => FIRST_FORM.test(secret);

/** Whether a text can be a secret: the service has made it, or it came with a webhook of another one. */
export const isSecret = (text: string): boolean => SECRET.test(text);

/**
 * @throws TypeError for a text that is not a secret: Buffer skips what is not base64, so a damaged one would otherwise
 *   sign with a shorter key
 */
export function secretKeys(secret: string): SecretKeys {
  if (!isSecret(secret)) {
    // The message must not quote the text: it may be a secret with one wrong character.
    throw new TypeError(`Not a signing secret: expected ${SECRET_FORMS}`);
  }
  const contract = createSecretKey(secret, 'utf8');
  const standard = secret.startsWith(PREFIX) ? createSecretKey(secret.slice(PREFIX.length), 'base64') : contract;
  return { contract, standard };
}
