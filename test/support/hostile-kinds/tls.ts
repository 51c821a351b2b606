import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { EXPIRED, GOOD, KEY, LOCALHOST, SELF_SIGNED } from '../certificates.js';
import { answersEach, floods, type Misbehaviour, resets, response, says, saysAndLeaves } from '../hostile-receivers.js';
import { answers, breaksOff, fails, type HostileKind, type Reading } from './kind.js';

const overTls = (
  what: string,
  tls: TlsOptions,
  reads: Reading,
  misbehave = answersEach(response(200, 'abc')),
): HostileKind => ({
  what,
  misbehave,
  options: { tls, name: 'localhost' },
  reads,
});

/** Says it in plain text where TLS is expected. */
const inPlain = (what: string, misbehave: Misbehaviour, errorCode = 'TLS_FAILED'): HostileKind => ({
  what,
  misbehave,
  options: { name: 'localhost', scheme: 'https' },
  reads: fails(errorCode),
});

const ALERT = '\x15\x03\x03\x00\x02\x02\x28';

export const tls: readonly HostileKind[] = [
  overTls('has a good certificate', LOCALHOST, answers(200, { body: 'abc', responseTruncated: false })),
  overTls('has a certificate signed by itself', { key: KEY, cert: SELF_SIGNED }, fails('TLS_CERTIFICATE_UNTRUSTED')),
  overTls('has a certificate that has expired', { key: KEY, cert: EXPIRED }, fails('TLS_CERTIFICATE_EXPIRED')),
  overTls('has a certificate for another name', { key: KEY, cert: GOOD }, fails('TLS_CERTIFICATE_NAME')),
  overTls(
    'speaks TLS 1.1 at most',
    { ...LOCALHOST, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    fails('TLS_FAILED'),
  ),
  overTls(
    'speaks TLS 1.0 alone',
    { ...LOCALHOST, minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
    fails('TLS_FAILED'),
  ),
  overTls(
    'has no cipher of ours',
    { ...LOCALHOST, maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256:@SECLEVEL=0' },
    fails('TLS_FAILED'),
  ),
  overTls('offers HTTP/2 alone', { ...LOCALHOST, ALPNProtocols: ['h2'] }, fails('TLS_FAILED')),
  { ...overTls('is silent after the handshake', LOCALHOST, fails('TIMEOUT'), () => {}), lasts: true },
  overTls('cuts the connection after the handshake', LOCALHOST, fails('CONNECTION_RESET'), (socket) => {
    socket.destroy();
  }),
  overTls(
    'has an endless body over TLS',
    LOCALHOST,
    breaksOff(200),
    floods('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(65_536, 'x')),
  ),
  overTls(
    'floods with 103 over TLS',
    LOCALHOST,
    fails('HEADERS_TOO_LARGE'),
    floods('', Buffer.from('HTTP/1.1 103 X\r\n\r\n'.repeat(1000))),
  ),
  inPlain('never answers the handshake', () => {}, 'CONNECT_TIMEOUT'),
  inPlain('answers the handshake with plain text', says(response(400))),
  inPlain('answers the handshake with zeros', says(Buffer.alloc(1000))),
  inPlain('answers the handshake with an alert', says(ALERT)),
  inPlain('echoes the handshake', (socket: Socket, firstBytes) => socket.write(firstBytes)),
  inPlain('hangs up in the handshake', saysAndLeaves(''), 'CONNECTION_RESET'),
  inPlain('resets the connection in the handshake', resets, 'CONNECTION_RESET'),
  inPlain('floods the handshake', floods('', Buffer.alloc(65_536, 'x'))),
  inPlain('drips the handshake', (socket) => {
    const timer = setInterval(() => socket.write('\x16\x03\x03\x40\x00'.slice(0, 1)), 20);
    socket.on('close', () => clearInterval(timer));
  }),
];
