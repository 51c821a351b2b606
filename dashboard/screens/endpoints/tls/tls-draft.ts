import type { DeliveryOptionsInput } from '../../../api/generated/graphql.js';
import type { Options } from '../settings/draft.js';

type TlsInput = NonNullable<DeliveryOptionsInput['tls']>;

/** Certificates as somebody writes them, in PEM. */
export interface TlsDraft {
  ca: string;
  removesCa: boolean;
  certificate: string;
  key: string;
  removesCertificate: boolean;
}

export const NO_CHANGE: TlsDraft = { ca: '', removesCa: false, certificate: '', key: '', removesCertificate: false };

/** The texts of a draft, and their names in inputs. */
export const PEM_NAMES = { ca: 'caPem', certificate: 'clientCertificatePem', key: 'clientKeyPem' } as const;
export type PemName = keyof typeof PEM_NAMES;

/** Whether a warning is about certificates. @param path as the warning has it */
export const isOfTls = (path: string): boolean => path.startsWith('tls.');

const isWritten = (text: string): boolean => text.trim() !== '';

/** The changes that a draft makes. Certificates that it neither writes nor removes stay. */
export function tlsChange({ removesCa, removesCertificate, ...texts }: TlsDraft): { tls?: TlsInput } {
  const written = (Object.keys(PEM_NAMES) as PemName[]).filter((name) => isWritten(texts[name]));
  const tls: TlsInput = {
    ...(removesCa ? { caPem: null } : {}),
    ...(removesCertificate ? { clientCertificatePem: null } : {}),
    ...Object.fromEntries(written.map((name) => [PEM_NAMES[name], texts[name]])),
  };
  return Object.keys(tls).length === 0 ? {} : { tls };
}

/**
 * The text that is missing: the first certificate needs its key, and a key its certificate. Whether one fits that is
 * stored, only the service can tell.
 */
export function missingPart({ certificate, key }: TlsDraft, stored: Options['tls']): 'certificate' | 'key' | undefined {
  if (stored?.clientCertificate != null || isWritten(certificate) === isWritten(key)) {
    return undefined;
  }
  return isWritten(certificate) ? 'key' : 'certificate';
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** The certificates and the key in one text. Null: it is not PEM. */
export function splitPem(text: string): { certificates: string; key: string } | null {
  const blocks = [...text.matchAll(BLOCK)].map(([block, label]) => ({ block, isKey: label!.endsWith('PRIVATE KEY') }));
  const joined = (areKeys: boolean) =>
    blocks
      .filter(({ isKey }) => isKey === areKeys)
      .map(({ block }) => `${block}\n`)
      .join('');
  return blocks.length === 0 ? null : { certificates: joined(false), key: joined(true) };
}

/** Where the parts of a text go that somebody enters for one field: many programs write both into one file. */
export function placed(text: string, name: PemName): Partial<TlsDraft> {
  const parts = splitPem(text);
  const isMixed = parts !== null && (name === 'key' ? parts.certificates : parts.key) !== '';
  if (!isMixed) {
    return { [name]: text };
  }
  const { certificates, key } = parts;
  return name === 'ca'
    ? { ca: certificates }
    : { ...(certificates === '' ? {} : { certificate: certificates }), ...(key === '' ? {} : { key }) };
}
