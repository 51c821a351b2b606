import type { TlsOptions } from 'node:tls';
import { EXPIRED, GOOD, KEY, LOCALHOST, SELF_SIGNED } from '../certificates.js';
import { answersEach, drips, floods, resets, response, says, saysAndLeaves } from '../hostile-receivers.js';
import { breaksOff, fails, type HostileKind, KIB, kinds, OK, whole } from './kind.js';

const over = (tls: TlsOptions) => ({ options: { tls, name: 'localhost' } });
const answersWell = answersEach(response(200, 'abc'));
const atMost = (maxVersion: 'TLSv1' | 'TLSv1.1') =>
  over({ ...LOCALHOST, minVersion: 'TLSv1', maxVersion, ciphers: 'ALL:@SECLEVEL=0' });
/** It speaks plain text where TLS is expected. */
const plain = { options: { name: 'localhost', scheme: 'https' } } as const;

const ALERT = '\x15\x03\x03\x00\x02\x02\x28';
const NO_CIPHER: TlsOptions = { ...LOCALHOST, maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256:@SECLEVEL=0' };
const hints = floods('', Buffer.from('HTTP/1.1 103 X\r\n\r\n'.repeat(1000)));

export const tls: readonly HostileKind[] = [
  ...kinds(whole(200, 'abc'), { 'has a good certificate': answersWell }, over(LOCALHOST)),
  ...kinds(
    fails('TLS_CERTIFICATE_UNTRUSTED'),
    { 'has a certificate signed by itself': answersWell },
    over({ key: KEY, cert: SELF_SIGNED }),
  ),
  ...kinds(
    fails('TLS_CERTIFICATE_EXPIRED'),
    { 'has a certificate that has expired': answersWell },
    over({ key: KEY, cert: EXPIRED }),
  ),
  ...kinds(
    fails('TLS_CERTIFICATE_NAME'),
    { 'has a certificate for another name': answersWell },
    over({ key: KEY, cert: GOOD }),
  ),
  ...kinds(fails('TLS_FAILED'), { 'speaks TLS 1.1 at most': answersWell }, atMost('TLSv1.1')),
  ...kinds(fails('TLS_FAILED'), { 'speaks TLS 1.0 alone': answersWell }, atMost('TLSv1')),
  ...kinds(fails('TLS_FAILED'), { 'has no cipher of ours': answersWell }, over(NO_CIPHER)),
  ...kinds(fails('TLS_FAILED'), { 'offers HTTP/2 alone': answersWell }, over({ ...LOCALHOST, ALPNProtocols: ['h2'] })),
  ...kinds(fails('TIMEOUT'), { 'is silent after the handshake': () => {} }, { ...over(LOCALHOST), lasts: true }),
  ...kinds(
    fails('CONNECTION_RESET'),
    { 'cuts the connection after the handshake': (socket) => void socket.destroy() },
    over(LOCALHOST),
  ),
  ...kinds(
    breaksOff(200),
    { 'has an endless body over TLS': floods(`${OK}\r\n`, Buffer.alloc(64 * KIB, 'x')) },
    over(LOCALHOST),
  ),
  ...kinds(fails('HEADERS_TOO_LARGE'), { 'floods with 103 over TLS': hints }, over(LOCALHOST)),
  ...kinds(fails('CONNECT_TIMEOUT'), { 'never answers the handshake': () => {} }, plain),
  ...kinds(
    fails('TLS_FAILED'),
    {
      'answers the handshake with plain text': says(response(400)),
      'answers the handshake with zeros': says(Buffer.alloc(1000)),
      'answers the handshake with an alert': says(ALERT),
      'echoes the handshake': (socket, firstBytes) => void socket.write(firstBytes),
      'floods the handshake': floods('', Buffer.alloc(64 * KIB, 'x')),
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
