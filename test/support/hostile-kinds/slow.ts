import { startAbsentReceiver, startDeafReceiver } from '../absent-receivers.js';
import { drips, floods, resets, says, saysAndLeaves, saysAndResets } from '../hostile-receivers.js';
import { breaksOff, CHUNKED, fails, type HostileKind, KIB, kinds, OK, whole } from './kind.js';

export const absent: readonly HostileKind[] = [
  ...kinds(fails('CONNECT_FAILED'), { 'is not there': () => {} }, { start: startAbsentReceiver }),
  ...kinds(fails('CONNECT_TIMEOUT'), { 'never accepts a connection': () => {} }, { start: startDeafReceiver }),
];

/** Receivers that take all the time there is. */
export const slow: readonly HostileKind[] = [
  ...kinds(fails('TIMEOUT'), {
    'takes the request and never answers': () => {},
    'drips header lines': drips(OK, 'X-A: 1\r\n', 20),
    'drips one header byte by byte': drips(`${OK}X-A: `, 'a', 20),
    'drips its reason phrase': drips('HTTP/1.1 200 ', 'a', 20),
    'drips empty lines before its answer': drips('', '\r\n', 20),
    'sends 103 Early Hints for ever': drips('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 20),
    'sends 100 Continue, which nobody asked for, and nothing else': says('HTTP/1.1 100 Continue\r\n\r\n'),
    'says 102 once': says('HTTP/1.1 102 Processing\r\n\r\n'),
    'stops in the middle of its headers': says(`${OK}X-A: 1\r\n`),
  }),
  ...kinds(breaksOff(200), {
    'drips its body': drips(`${OK}content-length: 100000\r\n\r\nabc`, 'd', 20),
    'drips chunks': drips(`${OK}${CHUNKED}3\r\nabc\r\n`, '1\r\nd\r\n', 20),
  }),
  ...kinds(breaksOff(500), {
    'drips the body of a failure': drips('HTTP/1.1 500 X\r\ncontent-length: 100000\r\n\r\nabc', 'd', 20),
  }),
  ...kinds(breaksOff(202, 'abc'), {
    'stops in the middle of its body': says('HTTP/1.1 202 OK\r\ncontent-length: 10\r\n\r\nabc'),
  }),
  ...kinds(breaksOff(200, 'abc'), {
    'claims 10 GB and sends three bytes': says(`${OK}content-length: 10737418240\r\n\r\nabc`),
    'leaves its last chunk out': says(`${OK}${CHUNKED}3\r\nabc\r\n`),
    'leaves the end of its trailers out': says(`${OK}${CHUNKED}3\r\nabc\r\n0\r\nX-B: 1\r\n`),
  }),
].map((kind) => ({ ...kind, lasts: true }));

/** Receivers that hang up. */
export const leaving: readonly HostileKind[] = [
  ...kinds(
    fails('CONNECTION_RESET'),
    {
      'resets the connection when it is made': resets,
      'hangs up when the connection is made': saysAndLeaves(''),
    },
    { options: { atOnce: true } },
  ),
  ...kinds(fails('CONNECTION_RESET'), {
    'resets the connection at the request': resets,
    'hangs up without a word': saysAndLeaves(''),
    'hangs up in its status line': saysAndLeaves('HTTP/1.1 2'),
    'hangs up in its headers': saysAndLeaves(`${OK}X-A: 1\r\n`),
    'resets the connection in its headers': saysAndResets(`${OK}X-A: 1\r\n`),
    'hangs up after 103': saysAndLeaves('HTTP/1.1 103 X\r\n\r\n'),
    'hangs up after 100 Continue': saysAndLeaves('HTTP/1.1 100 Continue\r\n\r\n'),
  }),
  ...kinds(breaksOff(200, 'abc'), {
    'hangs up in its body': saysAndLeaves(`${OK}content-length: 10\r\n\r\nabc`),
    'hangs up in a chunk': saysAndLeaves(`${OK}${CHUNKED}9\r\nabc`),
    'resets the connection in its body': saysAndResets(`${OK}content-length: 10\r\n\r\nabc`),
  }),
  ...kinds(breaksOff(500), {
    'resets the connection after its headers': saysAndResets('HTTP/1.1 500 X\r\ncontent-length: 10\r\n\r\n'),
  }),
];

const xs = Buffer.alloc(64 * KIB, 'x');

/** Receivers that send as fast as they are read. */
export const flooding: readonly HostileKind[] = [
  ...kinds(fails('HEADERS_TOO_LARGE'), {
    'floods with 103 Early Hints': floods('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))),
    'floods with empty lines': floods('', Buffer.from('\r\n'.repeat(32 * KIB))),
    'has an endless reason phrase': floods('HTTP/1.1 200 ', xs),
    'has one endless header': floods(`${OK}X-A: `, xs),
    'has a header value of endless spaces': floods(`${OK}X-A:`, Buffer.alloc(64 * KIB, ' ')),
    'has endless headers': floods(OK, Buffer.from('X-A: 1\r\n'.repeat(1000))),
    'has endless headers with little in much space': floods(OK, Buffer.from(`a:${' '.repeat(64 * KIB)}b\r\n`)),
  }),
  ...kinds(breaksOff(200, 'x'.repeat(16 * KIB)), {
    'has an endless body with a length': floods(`${OK}content-length: 10737418240\r\n\r\n`, xs),
    'has an endless body without a length': floods(`${OK}\r\n`, xs),
  }),
  ...kinds(breaksOff(500, 'x'.repeat(16 * KIB)), {
    'has endless chunks': floods(`HTTP/1.1 500 X\r\n${CHUNKED}`, Buffer.from(`1000\r\n${'x'.repeat(4 * KIB)}\r\n`)),
  }),
  ...kinds(breaksOff(200), {
    'has an endless chunk extension': floods(`${OK}${CHUNKED}3;a=`, xs),
    'has endless chunks of one byte with long extensions': floods(
      `${OK}${CHUNKED}`,
      Buffer.from(`1;a=${'x'.repeat(64 * KIB)}\r\ny\r\n`),
    ),
  }),
  ...kinds(breaksOff(200, 'abc'), {
    'has endless trailers': floods(`${OK}${CHUNKED}3\r\nabc\r\n0\r\n`, Buffer.from('X-A: 1\r\n'.repeat(1000))),
  }),
  ...kinds(whole(200, 'abc'), {
    'sends one answer after the other without being asked': floods(
      '',
      Buffer.from(`${OK}content-length: 3\r\n\r\nabc`.repeat(1000)),
    ),
  }),
];
