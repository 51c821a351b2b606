import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { TLS_POLICY } from './undici.js';

/** The TLS of one endpoint: the authorities that it is trusted by, and the certificate that we show. */
export interface TlsIdentity {
  /** A part of the origin of its connections (`originFor`), which no other endpoint and no other version has. */
  mark: string;
  context: SecureContext;
}

/** PEM texts; undefined: the authorities that everybody trusts, or no certificate of ours. */
interface TlsParts {
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

/** OpenSSL does not take stored texts. They were checked once: this is another OpenSSL, or they are damaged. */
export class TlsUnusable extends Error {
  override readonly name = 'TlsUnusable';
}

/** @throws TlsUnusable */
export function tlsIdentity(webhookId: number, optionsVersion: number, { ca, cert, key }: TlsParts): TlsIdentity {
  try {
    if (ca !== undefined) {
      new X509Certificate(ca); // a context takes any text for its authorities, and then trusts nobody
    }
    // The version belongs here: a connection that gets a context looks at no `minVersion` of its own.
    const { minVersion } = TLS_POLICY;
    // An authority in between is trusted where it is named, and so is the endpoint itself.
    const context = createSecureContext({ ca, allowPartialTrustChain: ca !== undefined, cert, key, minVersion });
    return { mark: `tls=${webhookId}.${optionsVersion}`, context };
  } catch (cause) {
    throw new TlsUnusable('OpenSSL refuses the authorities, the certificate or the key.', { cause });
  }
}
