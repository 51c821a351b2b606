import { z } from 'zod';
import type { AnyField } from '../../domain/fields/field.js';
import { PEM_BYTES_MAX } from '../../domain/fields/read-tls.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { restName, restStep } from './names.js';
import { type RestKind, valueKind } from './rest-kind.js';

type Values = Readonly<Record<string, unknown>>;

export const tlsKind: RestKind<AnyField> = {
  ...valueKind(tlsForm),
  shown: (value) => inRest(value),
  inputs(name, value) {
    if (value == null) {
      return [[name, value]];
    }
    const {
      ca_pem: caPem,
      client_certificate_pem: clientCertificatePem,
      client_key_pem: clientKeyPem,
    } = value as Values;
    return [[name, { caPem, clientCertificatePem, clientKeyPem }]];
  },
  place: (steps) => steps.map(restStep),
  /** Names and ends, which GET shows, change nothing. */
  changed: (value) => (value === null || TEXTS.some((name) => (value as Values)[name] !== undefined) ? [value] : []),
};

const TEXTS = ['ca_pem', 'client_certificate_pem', 'client_key_pem'];

/** Times come as they are stored, or as GraphQL writes them. */
function inRest(value: unknown): unknown {
  if (value instanceof Date) {
    return formatTimestamp(value);
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [restName(name), inRest(one)]))
    : value;
}

function tlsForm(_: AnyField, description: string, requested: boolean): z.ZodType {
  const text = z.string();
  const about = (meaning: string) => text.meta({ description: meaning });
  const endsAt = (meaning: string) => text.meta({ format: 'date-time', description: meaning });
  const ca = z.object({
    subjects: z.array(text).meta({ description: 'The subject of each certificate.', examples: [['CN=Acme CA']] }),
    ends_at: endsAt('When the certificate that ends last ends.'),
  });
  const certificate = z.object({
    subject: about('The name of its holder.'),
    issuer: about('The name of the authority that has issued it.'),
    serial: about('The serial number, in hexadecimal digits.'),
    fingerprint: about('The SHA-256 of the certificate, in hexadecimal digits with colons.'),
    ends_at: endsAt('When it ends.'),
  });
  const shown = {
    ca: ca.nullable().meta({ description: 'The authorities that the endpoint is trusted by; null: the public ones.' }),
    client_certificate: certificate.nullable().meta({ description: 'The certificate that requests show; null: none.' }),
  };
  if (!requested) {
    return z.object(shown).meta({ description });
  }
  const pem = (meaning: string) => text.nullable().meta({ maxLength: PEM_BYTES_MAX, description: meaning });
  const given = {
    ca_pem: pem(
      'The certificates of authorities in PEM, 1 to 10, which replace the public ones. One in between is enough, or the own certificate of the endpoint. Null: the public ones again.',
    ),
    client_certificate_pem: pem(
      'The certificate that requests show, in PEM, with its chain behind it; null removes it with its key.',
    ),
    client_key_pem: pem(
      'Its private key in PEM, not encrypted: RSA of 2048 to 4096 bits, EC with P-256, P-384 or P-521, or Ed25519. It may be left out with a certificate for the key that the webhook has, and be given alone for the certificate that it has.',
    ),
  };
  const examples = [{ ca_pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n' }];
  return z
    .strictObject({ ...z.object(given).partial().shape, ...z.object(shown).partial().shape })
    .meta({ description, examples });
}
