import { createPublicKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';

/** Certificates (RFC 5280) with any dates and keys, made without a program. */

const DAY_MS = 86_400_000;

export interface Issued {
  subject: string;
  certificate: string;
  key: string;
}

interface Wanted {
  /** A common name. */
  subject?: string;
  key?: KeyObject;
  /** Default: itself. */
  issuer?: Issued;
  /** Default: yesterday, until in a year. */
  from?: Date;
  until?: Date;
  isAuthority?: boolean;
  /** DNS names. */
  names?: readonly string[];
  /** For a signature by a key of EC or RSA. */
  digest?: 'sha256' | 'sha1';
}

export const ecKey = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve }).privateKey;
export const rsaKey = (modulusLength = 2_048) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
export const ed25519Key = () => generateKeyPairSync('ed25519').privateKey;
export const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;

let serial = 1_000;

export function issueCertificate({
  subject = 'Acme',
  key = ecKey(),
  issuer = { subject, certificate: '', key: pemOf(key) },
  from = new Date(Date.now() - DAY_MS),
  until = new Date(Date.now() + 365 * DAY_MS),
  isAuthority = false,
  names = [],
  digest = 'sha256',
}: Wanted = {}): Issued {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const algorithm = algorithmOf(issuer.key, digest);
  const extensions = [
    ...(isAuthority ? [sequence(oid('551d13'), der(0x01, [0xff]), der(0x04, sequence(der(0x01, [0xff]))))] : []),
    ...(names.length > 0
      ? [sequence(oid('551d11'), der(0x04, sequence(...names.map((name) => der(0x82, Buffer.from(name))))))]
      : []),
  ];
  serial += 1;
  const content = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [serial >> 8, serial & 0xff]),
    algorithm,
    nameOf(issuer.subject),
    sequence(time(from), time(until)),
    nameOf(subject),
    spki,
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const signature = sign(isEd25519(issuer.key) ? null : digest, content, issuer.key);
  const whole = sequence(content, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return { subject, certificate: new X509Certificate(whole).toString(), key: pemOf(key) };
}

const isEd25519 = (key: string) => createPublicKey(key).asymmetricKeyType === 'ed25519';

function algorithmOf(key: string, digest: 'sha256' | 'sha1'): Buffer {
  switch (createPublicKey(key).asymmetricKeyType) {
    case 'ed25519':
      return sequence(oid('2b6570'));
    case 'rsa':
      return sequence(oid(digest === 'sha256' ? '2a864886f70d01010b' : '2a864886f70d010105'), der(0x05, []));
    default:
      return sequence(oid(digest === 'sha256' ? '2a8648ce3d040302' : '2a8648ce3d0401'));
  }
}

const nameOf = (common: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common)))));

/** RFC 5280 §4.1.2.5: years from 2050 on have four digits. */
function time(at: Date): Buffer {
  const text = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));

function der(tag: number, content: Buffer | number[]): Buffer {
  const bytes = Buffer.from(content);
  const length =
    bytes.length < 128
      ? [bytes.length]
      : bytes.length < 256
        ? [0x81, bytes.length]
        : [0x82, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}
