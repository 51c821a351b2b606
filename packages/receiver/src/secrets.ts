/** A signing secret, or several: while a secret is rotated, the new one and the old one. */
export type Secrets = string | readonly string[];

/** The keys of one secret, and what may be shown of it. */
export interface SecretKeys {
  /** The whole text: the key of the contract's signature. */
  contract: Uint8Array<ArrayBuffer>;
  /** The bytes behind `whsec_`, or those of an imported text: the key of Standard Webhooks. */
  standard: Uint8Array<ArrayBuffer>;
  hint: string;
}

/** A secret that the service cannot have made: an error of configuration, so it is thrown. */
export class SecretMalformedError extends TypeError {
  override readonly name = 'SecretMalformedError';
  readonly code = 'SECRET_MALFORMED';
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const BYTES_MIN = 16;
const BYTES_MAX = 75;
/** An imported text, of more than blanks. */
const TEXT = /^(?! *$)[ -~]{16,256}$/;
const PREFIX = 'whsec_';
/** As an env file leaves them, or `cat`. */
const EDGE = /^[\s"']+|[\s"']+$/g;

/** @throws SecretMalformedError whose message never quotes a secret */
export function readSecrets(secrets: Secrets | undefined): SecretKeys[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) {
    throw new SecretMalformedError('There is no secret: the list is empty.');
  }
  return list.map(readSecret);
}

function readSecret(secret: unknown): SecretKeys {
  if (typeof secret !== 'string' || secret === '') {
    throw new SecretMalformedError('The secret is empty, or not a text. Is its environment variable set?');
  }
  const contract = new TextEncoder().encode(secret);
  if (!secret.startsWith(PREFIX)) {
    if (!TEXT.test(secret) || secret.replace(EDGE, '').startsWith(PREFIX)) {
      throw malformed(secret);
    }
    return { contract, standard: contract, hint: 'a text without whsec_' };
  }
  const base64 = secret.slice(PREFIX.length);
  if (!BASE64.test(base64)) {
    throw malformed(secret);
  }
  const standard = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (standard.length < BYTES_MIN || standard.length > BYTES_MAX) {
    throw malformed(secret);
  }
  return { contract, standard, hint: `${PREFIX}${base64.slice(0, 4)}…` };
}

/**
 * The same secret with `whsec_` in front, or without it: as it may have been before somebody copied a part of it.
 *
 * @returns null when the service cannot have made that
 */
export function otherForm({ contract }: SecretKeys): SecretKeys | null {
  const text = new TextDecoder().decode(contract);
  try {
    return readSecret((PREFIX + text).replace(PREFIX + PREFIX, ''));
  } catch {
    return null;
  }
}

function malformed(secret: string): SecretMalformedError {
  const edges =
    secret.replace(EDGE, '') === secret ? '' : ' It has a blank, a line break or a quotation mark at its edge.';
  return new SecretMalformedError(
    `The secret has ${secret.length} characters and neither form: whsec_ and the base64 of 16 to 75 bytes, ` +
      `or an imported text of 16 to 256 printable ASCII characters.${edges}`,
  );
}
