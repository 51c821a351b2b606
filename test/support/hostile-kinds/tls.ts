import type { TlsOptions } from 'node:tls';
import { EXPIRED, GOOD, KEY, LOCALHOST, SELF_SIGNED } from '../certificates.js';
import { answersEach, drips, floods, resets, response, says, saysAndLeaves } from '../hostile-receivers.js';
import { breaksOff, fails, type HostileKind, KIB, kinds, OK, type Reading, whole } from './kind.js';

const overTls = (
  what: string,
  reads: Reading,
  tls: TlsOptions = LOCALHOST,
  misbehave = answersEach(response(200, 'abc')),
): HostileKind => ({ what, misbehave, reads, options: { tls, name: 'localhost' } });

const atMost = (maxVersion: 'TLSv1' | 'TLSv1.1'): TlsOptions => ({
  ...LOCALHOST,
  minVersion: 'TLSv1',
  maxVersion,
  ciphers: 'ALL:@SECLEVEL=0',
});
const NO_CIPHER: TlsOptions = { ...LOCALHOST, maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256:@SECLEVEL=0' };
const ALERT = '\x15\x03\x03\x00\x02\x02\x28';
const hints = Buffer.from('HTTP/1.1 103 X\r\n\r\n'.repeat(1000));
const xs = Buffer.alloc(64 * KIB, 'x');

/** They speak plain text where TLS is expected. */
const plain = { options: { name: 'localhost', scheme: 'https' } } as const;

export const tls: readonly HostileKind[] = [
  overTls('has a good certificate', whole(200, 'abc')),
  overTls('has a certificate signed by itself', fails('TLS_CERTIFICATE_UNTRUSTED'), { key: KEY, cert: SELF_SIGNED }),
  overTls('has a certificate that has expired', fails('TLS_CERTIFICATE_EXPIRED'), { key: KEY, cert: EXPIRED }),
  overTls('has a certificate for another name', fails('TLS_CERTIFICATE_NAME'), { key: KEY, cert: GOOD }),
  overTls('speaks TLS 1.1 at most', fails('TLS_FAILED'), atMost('TLSv1.1')),
  overTls('speaks TLS 1.0 alone', fails('TLS_FAILED'), atMost('TLSv1')),
  overTls('has no cipher of ours', fails('TLS_FAILED'), NO_CIPHER),
  overTls('offers HTTP/2 alone', fails('TLS_FAILED'), { ...LOCALHOST, ALPNProtocols: ['h2'] }),
  { ...overTls('is silent after the handshake', fails('TIMEOUT'), LOCALHOST, () => {}), lasts: true },
  overTls('cuts the connection after the handshake', fails('CONNECTION_RESET'), LOCALHOST, (socket) => {
    socket.destroy();
  }),
  overTls('has an endless body over TLS', breaksOff(200), LOCALHOST, floods(`${OK}\r\n`, xs)),
  overTls('floods with 103 over TLS', fails('HEADERS_TOO_LARGE'), LOCALHOST, floods('', hints)),
  ...kinds(fails('CONNECT_TIMEOUT'), { 'never answers the handshake': () => {} }, plain),
  ...kinds(
    fails('TLS_FAILED'),
    {
      'answers the handshake with plain text': says(response(400)),
      'answers the handshake with zeros': says(Buffer.alloc(1000)),
      'answers the handshake with an alert': says(ALERT),
      'echoes the handshake': (socket, firstBytes) => void socket.write(firstBytes),
      'floods the handshake': floods('', xs),
      'drips the handshake': drips('', '\x16', 20),
    },
    plain,
  ),
  ...kinds(
    fails('CONNECTION_RESET'),
    { 'hangs up in the handshake': saysAndLeaves(''), 'resets the connection in the handshake': resets },
    plain,
  ),
];
