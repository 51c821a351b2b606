import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { readTls } from '../../domain/fields/read-tls.js';
import type { TlsChange, TlsInput } from '../../domain/fields/tls.js';
import { addProblems, type Problem } from './kind-rules.js';

/** Makes certificates and key of what people write, as they are stored; OpenSSL has taken them then. */
export const tls = (now: () => Date) =>
  z.custom<TlsInput>().transform((input, context) => {
    const read = readTls(input, now());
    const problems = 'problems' in read ? read.problems : refusalsOf(read.tls);
    addProblems(context, problems);
    return 'tls' in read && problems.length === 0 ? read.tls : z.NEVER;
  });

/** The problems that a daemon would meet, such as a short key in a chain. */
function refusalsOf({ ca, client }: TlsChange): Problem[] {
  const short = ca == null ? -1 : ca.pem.split(BEFORE_EACH).findIndex(isTooShort);
  if (short !== -1) {
    return [{ path: ['caPem'], code: 'key_too_short', detail: `has as number ${short + 1} ${TOO_SHORT}` }];
  }
  try {
    createSecureContext({
      ...(ca && { ca: ca.pem }),
      ...(client && 'pem' in client && { cert: client.pem }),
      ...(client && 'open' in client && { key: client.open }),
    });
    return [];
  } catch (error) {
    const { code = '', reason = 'it is malformed' } = error as { code?: string; reason?: string };
    const detail = `is refused by OpenSSL: ${reason}`;
    if (client == null) {
      return [{ path: ['caPem'], code: 'ca_malformed', detail }];
    }
    const isShort = code.includes(KEY_TOO_SHORT);
    return [{ path: ['clientCertificatePem'], code: isShort ? 'key_too_short' : 'certificate_malformed', detail }];
  }
}

const BEFORE_EACH = /(?=-----BEGIN )/;
const KEY_TOO_SHORT = 'KEY_TOO_SMALL';
const TOO_SHORT = 'a certificate whose key is too short to be trusted, as RSA of less than 2048 bits is';

/** OpenSSL looks at authorities only in a handshake; of a certificate of our own it says at once what it thinks. */
function isTooShort(authority: string): boolean {
  try {
    createSecureContext({ cert: authority });
    return false;
  } catch (error) {
    return String((error as { code?: unknown }).code).includes(KEY_TOO_SHORT);
  }
}
