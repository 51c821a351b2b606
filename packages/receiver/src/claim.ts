import type { HeaderNames, ReadHeader } from './headers.js';
import { type Refusal, refuse } from './refusal.js';

/** `standard`: `webhook-signature`, which covers id and timestamp. `contract`: `X-Service-Signature`, which does not. */
export type Scheme = 'standard' | 'contract';

/** What the headers claim, in the right form, before any signature was checked. */
export interface Claim {
  scheme: Scheme;
  id: string;
  /** As it was sent: the signature covers this text. */
  timestamp: string;
  /** Of the right length, so that a comparison takes equally long for each. */
  signatures: string[];
}

/** An id with a dot could be read as an id and a timestamp: the signature covers `id.timestamp.body`. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const SECONDS = /^\d{1,12}$/;
const SHA256_HEX = /^sha256=([0-9a-f]{64})$/;

/** The entries of `webhook-signature`: by a secret, or by a key pair. */
const ENTRIES = {
  v1: { form: /^v1,([A-Za-z0-9+/]{43}=)$/, other: /^(?!v1,)\w+,/, chars: 44 },
  v1a: { form: /^v1a,([A-Za-z0-9+/]{86}==)$/, other: /^(?!v1a,)\w+,/, chars: 88 },
};

export function readClaim(
  scheme: Scheme,
  header: ReadHeader,
  names: HeaderNames,
  version: keyof typeof ENTRIES = 'v1',
): Claim | Refusal {
  const [idName, timestampName, signatureName] =
    scheme === 'contract'
      ? [names.delivery, names.timestamp, names.signature]
      : ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const [id, timestamp, signature] = [header(idName), header(timestampName), header(signatureName)];
  if (!signature) {
    return refuse('NO_SIGNATURE', `There is no ${signatureName}.${otherScheme(scheme, header, names)}`);
  }
  if (!id || !timestamp) {
    return refuse('NO_SIGNATURE', `There is no ${id ? timestampName : idName}.`);
  }
  if (!ID.test(id) || !SECONDS.test(timestamp)) {
    const [name, form] = ID.test(id) ? [timestampName, 'Unix time in seconds'] : [idName, 'an id'];
    return refuse('MALFORMED_SIGNATURE', `${name} is not ${form}.`);
  }
  const signatures = scheme === 'contract' ? readContract(signature) : readEntries(signature, version);
  if (signatures === 'malformed') {
    const entry = `"${version}," and ${ENTRIES[version].chars} characters of base64`;
    const form = scheme === 'contract' ? '"sha256=" and 64 small hex digits' : entry;
    return refuse('MALFORMED_SIGNATURE', `${signatureName} is not ${form}.`);
  }
  return signatures.length > 0
    ? { scheme, id, timestamp, signatures }
    : refuse('NO_SIGNATURE', `${signatureName} has no entry that begins with ${version}.${byKeyPair(version)}`);
}

const byKeyPair = (version: keyof typeof ENTRIES) =>
  version === 'v1a' ? " The webhook's signing must be SECRET_AND_KEY." : '';

function readContract(signature: string): string[] | 'malformed' {
  const hex = SHA256_HEX.exec(signature)?.[1];
  return hex === undefined ? 'malformed' : [hex];
}

/** The entries of a version. Those of others are passed over, and so are malformed ones beside good ones. */
function readEntries(signature: string, version: keyof typeof ENTRIES): string[] | 'malformed' {
  const { form, other } = ENTRIES[version];
  const entries = signature.split(' ').filter((entry) => entry !== '' && !other.test(entry));
  const good = entries.flatMap((entry) => form.exec(entry)?.[1] ?? []);
  return good.length === 0 && entries.length > 0 ? 'malformed' : good;
}

function otherScheme(scheme: Scheme, header: ReadHeader, names: HeaderNames): string {
  if (scheme === 'standard' && header(names.signature)) {
    return ` The service sends ${names.signature} alone: for it set { scheme: 'contract' }.`;
  }
  return '';
}
