import { startAbsentReceiver, startDeafReceiver } from '../absent-receivers.js';
import { drips, floods, resets, says, saysAndLeaves, saysAndResets } from '../hostile-receivers.js';
import { answers, breaksOff, fails, type HostileKind } from './kind.js';

export const absent: readonly HostileKind[] = [
  {
    what: 'is not there',
    start: startAbsentReceiver,
    misbehave: () => {},
    reads: fails('CONNECT_FAILED'),
  },
  {
    what: 'never accepts a connection',
    start: startDeafReceiver,
    misbehave: () => {},
    reads: fails('CONNECT_TIMEOUT'),
  },
];

const unfinished: readonly HostileKind[] = [
  { what: 'takes the request and never answers', misbehave: () => {}, reads: fails('TIMEOUT') },
  {
    what: 'drips header lines',
    misbehave: drips('HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n', 20),
    reads: fails('TIMEOUT'),
  },
  {
    what: 'drips one header byte by byte',
    misbehave: drips('HTTP/1.1 200 OK\r\nX-A: ', 'a', 20),
    reads: fails('TIMEOUT'),
  },
  {
    what: 'drips its reason phrase',
    misbehave: drips('HTTP/1.1 200 ', 'a', 20),
    reads: fails('TIMEOUT'),
  },
  { what: 'drips empty lines before its answer', misbehave: drips('', '\r\n', 20), reads: fails('TIMEOUT') },
  {
    what: 'sends 103 Early Hints for ever',
    misbehave: drips('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 20),
    reads: fails('TIMEOUT'),
  },
  {
    what: 'sends 100 Continue, which nobody asked for, and nothing else',
    misbehave: says('HTTP/1.1 100 Continue\r\n\r\n'),
    reads: fails('TIMEOUT'),
  },
  { what: 'says 102 once', misbehave: says('HTTP/1.1 102 Processing\r\n\r\n'), reads: fails('TIMEOUT') },
  {
    what: 'stops in the middle of its headers',
    misbehave: says('HTTP/1.1 200 OK\r\nX-A: 1\r\n'),
    reads: fails('TIMEOUT'),
  },
  {
    what: 'drips its body',
    misbehave: drips('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nabc', 'd', 20),
    reads: breaksOff(200),
  },
  {
    what: 'drips chunks',
    misbehave: drips('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n', '1\r\nd\r\n', 20),
    reads: breaksOff(200),
  },
  {
    what: 'drips the body of a failure',
    misbehave: drips('HTTP/1.1 500 X\r\ncontent-length: 100000\r\n\r\nabc', 'd', 20),
    reads: breaksOff(500),
  },
  {
    what: 'stops in the middle of its body',
    misbehave: says('HTTP/1.1 202 OK\r\ncontent-length: 10\r\n\r\nabc'),
    reads: { ...breaksOff(202), body: 'abc' },
  },
  {
    what: 'claims 10 GB and sends three bytes',
    misbehave: says('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\nabc'),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'leaves its last chunk out',
    misbehave: says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'leaves the end of its trailers out',
    misbehave: says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-B: 1\r\n'),
    reads: { ...breaksOff(200), body: 'abc' },
  },
];

/** Receivers that take all the time there is. */
export const slow: readonly HostileKind[] = unfinished.map((kind) => ({ ...kind, lasts: true }));

/** Receivers that hang up. */
export const leaving: readonly HostileKind[] = [
  {
    what: 'resets the connection when it is made',
    misbehave: resets,
    options: { atOnce: true },
    reads: fails('CONNECTION_RESET'),
  },
  {
    what: 'hangs up when the connection is made',
    misbehave: saysAndLeaves(''),
    options: { atOnce: true },
    reads: fails('CONNECTION_RESET'),
  },
  { what: 'resets the connection at the request', misbehave: resets, reads: fails('CONNECTION_RESET') },
  { what: 'hangs up without a word', misbehave: saysAndLeaves(''), reads: fails('CONNECTION_RESET') },
  {
    what: 'hangs up in its status line',
    misbehave: saysAndLeaves('HTTP/1.1 2'),
    reads: fails('CONNECTION_RESET'),
  },
  {
    what: 'hangs up in its headers',
    misbehave: saysAndLeaves('HTTP/1.1 200 OK\r\nX-A: 1\r\n'),
    reads: fails('CONNECTION_RESET'),
  },
  {
    what: 'resets the connection in its headers',
    misbehave: saysAndResets('HTTP/1.1 200 OK\r\nX-A: 1\r\n'),
    reads: fails('CONNECTION_RESET'),
  },
  {
    what: 'hangs up after 103',
    misbehave: saysAndLeaves('HTTP/1.1 103 X\r\n\r\n'),
    reads: fails('CONNECTION_RESET'),
  },
  {
    what: 'hangs up in its body',
    misbehave: saysAndLeaves('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'hangs up in a chunk',
    misbehave: saysAndLeaves('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc'),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'resets the connection after its headers',
    misbehave: saysAndResets('HTTP/1.1 500 X\r\ncontent-length: 10\r\n\r\n'),
    reads: breaksOff(500),
  },
  {
    what: 'resets the connection in its body',
    misbehave: saysAndResets('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'closes its half and listens on',
    misbehave: (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nabc', 'latin1'),
    reads: answers(200, { body: 'abc', responseTruncated: false }),
  },
];

const KIB = 1024;

/** Receivers that send as fast as they are read. */
export const flooding: readonly HostileKind[] = [
  {
    what: 'floods with 103 Early Hints',
    misbehave: floods('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'floods with empty lines',
    misbehave: floods('', Buffer.from('\r\n'.repeat(32 * KIB))),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has an endless reason phrase',
    misbehave: floods('HTTP/1.1 200 ', Buffer.alloc(64 * KIB, 'x')),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has one endless header',
    misbehave: floods('HTTP/1.1 200 OK\r\nX-A: ', Buffer.alloc(64 * KIB, 'x')),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has a header value of endless spaces',
    misbehave: floods('HTTP/1.1 200 OK\r\nX-A:', Buffer.alloc(64 * KIB, ' ')),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has endless headers',
    misbehave: floods('HTTP/1.1 200 OK\r\n', Buffer.from('X-A: 1\r\n'.repeat(1000))),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has endless headers with little in much space',
    misbehave: floods('HTTP/1.1 200 OK\r\n', Buffer.from(`a:${' '.repeat(64 * KIB)}b\r\n`)),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has an endless body with a length',
    misbehave: floods('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n', Buffer.alloc(64 * KIB, 'x')),
    reads: { ...breaksOff(200), body: 'x'.repeat(16 * KIB) },
  },
  {
    what: 'has an endless body without a length',
    misbehave: floods('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(64 * KIB, 'x')),
    reads: { ...breaksOff(200), body: 'x'.repeat(16 * KIB) },
  },
  {
    what: 'has endless chunks',
    misbehave: floods(
      'HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n',
      Buffer.from(`1000\r\n${'x'.repeat(4 * KIB)}\r\n`),
    ),
    reads: { ...breaksOff(500), body: 'x'.repeat(16 * KIB) },
  },
  {
    what: 'has an endless chunk extension',
    misbehave: floods('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;a=', Buffer.alloc(64 * KIB, 'x')),
    reads: breaksOff(200),
  },
  {
    what: 'has endless chunks of one byte with long extensions',
    misbehave: floods(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      Buffer.from(`1;a=${'x'.repeat(64 * KIB)}\r\ny\r\n`),
    ),
    reads: breaksOff(200),
  },
  {
    what: 'has endless trailers',
    misbehave: floods(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n',
      Buffer.from('X-A: 1\r\n'.repeat(1000)),
    ),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'sends one answer after the other without being asked',
    misbehave: floods('', Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc'.repeat(1000))),
    reads: answers(200, { body: 'abc', responseTruncated: false }),
  },
];
