import { type Held, heldOf, heldValue, type Replace } from './held.js';

/** TLS of a webhook: the authorities that its endpoint is trusted by, and a certificate that its requests show. */

/** A change as people write it: what is left out stays, and null removes. */
export interface TlsInput {
  caPem?: string | null | undefined;
  clientCertificatePem?: string | null | undefined;
  clientKeyPem?: string | null | undefined;
}

/** A certificate as people know it. */
export interface CertificateFacts {
  subject: string;
  issuer: string;
  serial: string;
  /** SHA-256, in hexadecimal digits with colons. */
  fingerprint: string;
  /** ISO 8601. */
  endsAt: string;
}

interface StoredAuthorities {
  pem: string;
  subjects: string[];
  /** The end of the certificate that ends last. */
  endsAt: string;
}

/** With its chain. */
interface StoredCertificate extends CertificateFacts {
  pem: string;
  /** SHA-256 of its public key (SPKI), in hexadecimal digits. */
  keyHash: string;
}

/** The TLS of a webhook as its row has it. The secret is the private key. */
export interface StoredTls {
  /** The authorities that are trusted instead of the public ones; null: the public ones. */
  ca: StoredAuthorities | null;
  client: (StoredCertificate & Held) | null;
}

/** A key alone, for the certificate that is there. */
type StoredKey = Pick<StoredCertificate, 'keyHash'> & Held;

/** A change on its way to the row, as TlsInput. A certificate without a key keeps the one that is there, if it fits. */
export interface TlsChange {
  ca?: StoredAuthorities | null;
  client?: StoredCertificate | (StoredCertificate & Held) | StoredKey | null;
}

/** The part that readers get. */
export interface ShownTls {
  ca: { subjects: string[]; endsAt: Date } | null;
  clientCertificate: (Omit<CertificateFacts, 'endsAt'> & { endsAt: Date }) | null;
}

export function shownTls(stored: StoredTls | null): ShownTls | null {
  if (stored === null) {
    return null;
  }
  const { ca, client } = stored;
  return {
    ca: ca && { subjects: ca.subjects, endsAt: new Date(ca.endsAt) },
    clientCertificate: client && {
      subject: client.subject,
      issuer: client.issuer,
      serial: client.serial,
      fingerprint: client.fingerprint,
      endsAt: new Date(client.endsAt),
    },
  };
}

/** When the first of the certificates ends. */
export function firstEndOf({ ca, client }: StoredTls): Date | null {
  const ends = [ca, client].flatMap((one) => (one === null ? [] : [Date.parse(one.endsAt)]));
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

export const hasKey = <One extends object>(client: One): client is One & Held => 'sealed' in client || 'open' in client;

/** Without its key a certificate is of no use. */
export function withTlsKey(value: TlsChange, field: string, replace: Replace): TlsChange | null {
  const { client } = value;
  if (client == null || !hasKey(client)) {
    return value;
  }
  const { sealed: _, open: __, ...rest } = client as StoredCertificate & { sealed?: string; open?: string };
  const other = replace({ name: field, sealedAs: field, value: heldValue(client) });
  if (other !== null) {
    return { ...value, client: { ...rest, ...heldOf(other) } };
  }
  return value.ca === null ? null : { ...value, client: null };
}
