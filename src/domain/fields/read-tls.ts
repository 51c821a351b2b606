import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { formatTimestamp } from '../text/timestamp.js';
import { heldOf } from './held.js';
import type { CertificateFacts, TlsChange, TlsInput } from './tls.js';

/** The limit of each of the three texts. */
export const PEM_BYTES_MAX = 16_384;
const CERTIFICATES_MAX = 10;
const RSA_BITS_MIN = 2_048;
/** A signature takes 8 times as long with twice the bits, and a daemon makes one for each new connection. */
const RSA_BITS_MAX = 4_096;
/** The curves of TLS 1.3 (RFC 8446 §4.2.3), as OpenSSL names them. */
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

/** The end of a sentence, without values, and without names of fields: REST and GraphQL have different ones. */
interface Fault {
  code: string;
  detail: string;
}
interface Problem extends Fault {
  path: (keyof TlsInput)[];
}

/**
 * Reads certificates and key as they are stored: in one form of PEM, the key open. Texts around them are left out.
 *
 * @param now certificates that have ended by then are refused; those that begin later are not
 */
export function readTls(input: TlsInput, now: Date): { tls: TlsChange } | { problems: Problem[] } {
  const { caPem, clientCertificatePem, clientKeyPem } = input;
  const ca = caPem == null ? caPem : readAuthorities(caPem, now);
  const client = clientCertificatePem == null ? clientCertificatePem : readClient(clientCertificatePem, now);
  const key = clientKeyPem == null ? clientKeyPem : readKey(clientKeyPem);
  const problems = [
    ...faultsAt('caPem', ca),
    ...(client === null && key != null ? [CERTIFICATE_REMOVED] : faultsAt('clientCertificatePem', client)),
    ...(client !== null && key === null ? [KEY_REMOVED] : faultsAt('clientKeyPem', key)),
  ];
  if (isFault(ca) || isFault(client) || isFault(key) || problems.length > 0) {
    return { problems };
  }
  if (client && key && !client.leaf.checkPrivateKey(key)) {
    return { problems: [MISMATCH] };
  }
  return { tls: { ...(ca === undefined ? {} : { ca }), ...clientChange(client, key) } };
}

/** @param key fits; null: beside a certificate that is removed */
function clientChange(client: Client | null | undefined, key: KeyObject | null | undefined): Pick<TlsChange, 'client'> {
  if (client === null) {
    return { client };
  }
  const held = key && heldOf(pemOf(key));
  if (client === undefined) {
    return held ? { client: { keyHash: hashOf(createPublicKey(key)), ...held } } : {};
  }
  return { client: held ? { ...client.certificate, ...held } : client.certificate };
}

const CERTIFICATE_REMOVED: Problem = {
  path: ['clientCertificatePem'],
  code: 'required',
  detail: 'is required with a key: it is the certificate of that key',
};
const KEY_REMOVED: Problem = {
  path: ['clientKeyPem'],
  code: 'required',
  detail: 'is required by the certificate: null for the certificate removes both',
};
const MISMATCH: Problem = {
  path: ['clientKeyPem'],
  code: 'certificate_key_mismatch',
  detail: 'is not the key of the first of the client certificates',
};

const isFault = (read: object | null | undefined): read is Fault => read != null && 'code' in read && 'detail' in read;
const faultsAt = (place: keyof TlsInput, read: object | null | undefined): Problem[] =>
  isFault(read) ? [{ path: [place], ...read }] : [];

/** Some of them may have ended: files of authorities keep old ones for a while. */
function readAuthorities(text: string, now: Date): NonNullable<TlsChange['ca']> | Fault {
  const certificates = readCertificates(text, 'ca_malformed');
  if (isFault(certificates)) {
    return certificates;
  }
  const endsAt = new Date(Math.max(...certificates.map(({ validToDate }) => validToDate.getTime())));
  return endsAt > now
    ? { pem: textOf(certificates), subjects: certificates.map(subjectOf), endsAt: endsAt.toISOString() }
    : ended(endsAt);
}

type Client = { leaf: X509Certificate; certificate: CertificateFacts & { pem: string; keyHash: string } };

function readClient(text: string, now: Date): Client | Fault {
  const certificates = readCertificates(text, 'certificate_malformed');
  if (isFault(certificates)) {
    return certificates;
  }
  const [leaf] = certificates as [X509Certificate];
  const publicKey = publicKeyOf(leaf);
  const fault = publicKey === null ? malformed('certificate_malformed', KEYS) : faultOfKey(publicKey);
  if (fault !== null) {
    return fault;
  }
  if (leaf.validToDate <= now) {
    return ended(leaf.validToDate);
  }
  return { leaf, certificate: { ...factsOf(leaf), pem: textOf(certificates), keyHash: hashOf(publicKey!) } };
}

const hashOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

const ended = (at: Date): Fault => ({ code: 'certificate_expired', detail: `has ended at ${formatTimestamp(at)}` });

/** @param code of a refusal */
function readCertificates(text: string, code: string): X509Certificate[] | Fault {
  if (Buffer.byteLength(text) > PEM_BYTES_MAX) {
    return malformed(code, `must have at most ${PEM_BYTES_MAX} bytes`);
  }
  const labels = [...text.matchAll(/-----BEGIN ([^-\r\n]*)-----/g)].map(([, label]) => label);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (labels.some((label) => label!.endsWith('PRIVATE KEY'))) {
    return malformed(code, 'must have no private key: that of the client certificate has a field of its own');
  }
  if (blocks.length === 0 || blocks.length !== labels.length) {
    return malformed(code, 'must be certificates in PEM, each from BEGIN CERTIFICATE to END CERTIFICATE');
  }
  if (blocks.length > CERTIFICATES_MAX) {
    return malformed(code, `must have at most ${CERTIFICATES_MAX} certificates`);
  }
  const certificates = blocks.map(readCertificate);
  const wrong = certificates.indexOf(null);
  return wrong === -1
    ? (certificates as X509Certificate[])
    : malformed(code, `has no certificate that can be read as number ${wrong + 1}`);
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(pem);
    return Number.isNaN(certificate.validToDate.getTime()) ? null : certificate;
  } catch {
    return null;
  }
}

const malformed = (code: string, detail: string): Fault => ({ code, detail });

function publicKeyOf(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null; // of a kind that OpenSSL does not know
  }
}

const KEYS = 'must have a key of RSA, of EC with P-256, P-384 or P-521, or of Ed25519';

function readKey(text: string): KeyObject | Fault {
  if (Buffer.byteLength(text) > PEM_BYTES_MAX) {
    return malformed('key_malformed', `must have at most ${PEM_BYTES_MAX} bytes`);
  }
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4, *ENCRYPTED/m.test(text)) {
    return malformed('key_encrypted', 'is encrypted: give it without its password, as `openssl pkey` writes it');
  }
  // Node would read the first of several.
  const key = text.match(/-----BEGIN [^-\r\n]*PRIVATE KEY-----/g)?.length === 1 ? keyOf(text) : null;
  return key === null
    ? malformed('key_malformed', 'must be one private key in PEM, as `openssl pkey` writes it')
    : (faultOfKey(key) ?? key);
}

function keyOf(text: string): KeyObject | null {
  try {
    return createPrivateKey({ key: text, format: 'pem' });
  } catch {
    return null;
  }
}

function faultOfKey({ asymmetricKeyType: type, asymmetricKeyDetails = {} }: KeyObject): Fault | null {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  if (type === 'rsa' || type === 'rsa-pss') {
    const detail = `must have a key of ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits, not ${modulusLength}`;
    const code = modulusLength < RSA_BITS_MIN ? 'key_too_short' : modulusLength > RSA_BITS_MAX ? 'key_too_long' : null;
    return code && { code, detail };
  }
  const isKnown = type === 'ed25519' || (type === 'ec' && CURVES.includes(namedCurve));
  return isKnown ? null : malformed('key_malformed', KEYS);
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const textOf = (certificates: readonly X509Certificate[]): string => certificates.map(String).join('');

const factsOf = (certificate: X509Certificate): CertificateFacts => ({
  subject: subjectOf(certificate),
  issuer: inOneLine(certificate.issuer),
  serial: certificate.serialNumber,
  fingerprint: certificate.fingerprint256,
  endsAt: certificate.validToDate.toISOString(),
});

const subjectOf = ({ subject }: X509Certificate): string => inOneLine(subject);

/** Node has a name's parts in lines. One without parts, whose names are elsewhere in the certificate, is undefined. */
const inOneLine = (name: string | undefined): string => (name ?? '').trim().replaceAll('\n', ', ');
