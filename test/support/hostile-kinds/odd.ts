import { gzipSync } from 'node:zlib';
import { answersEach, response, saysAndLeaves } from '../hostile-receivers.js';
import { answers, breaksOff, fails, type HostileKind } from './kind.js';

const KIB = 1024;
const BOMB = gzipSync(Buffer.alloc(10_000_000)).toString('latin1');
const whole = (statusCode: number, body: string) => answers(statusCode, { body, responseTruncated: false });

/** Legal and nearly legal answers that have surprised somebody. */
export const odd: readonly HostileKind[] = [
  {
    what: 'has a reason phrase of 1 MB',
    misbehave: answersEach(`HTTP/1.1 200 ${'x'.repeat(1_000_000)}\r\ncontent-length: 0\r\n\r\n`),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has a reason phrase of 100 KB',
    misbehave: answersEach(`HTTP/1.1 200 ${'x'.repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`),
    reads: whole(200, ''),
  },
  {
    what: 'has no reason phrase',
    misbehave: answersEach('HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n'),
    reads: whole(200, ''),
  },
  {
    what: 'has a header of 17 KiB',
    misbehave: answersEach(response(200, '', [`X-A: ${'x'.repeat(17 * KIB)}`])),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has 100,000 headers',
    misbehave: answersEach(
      response(
        200,
        '',
        Array.from({ length: 100_000 }, (_, i) => `x-${i}: ${i}`),
      ),
    ),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'has thousands of tiny headers',
    misbehave: answersEach(
      response(
        200,
        '',
        Array.from({ length: 3500 }, (_, i) => `${(i + 1000).toString(36)}:`),
      ),
    ),
    reads: whole(200, ''),
  },
  {
    what: 'has headers that grow when they are written down',
    misbehave: answersEach(response(200, '', [`x-a: ${'"\\'.repeat(4000)}`, `x-b: ${'\xff'.repeat(8000)}`])),
    reads: whole(200, ''),
  },
  {
    what: 'sets 1,000 cookies',
    misbehave: answersEach(
      response(
        200,
        '',
        Array.from({ length: 1000 }, () => 'set-cookie: a'),
      ),
    ),
    reads: whole(200, ''),
  },
  {
    what: 'sets 10,000 cookies',
    misbehave: answersEach(
      response(
        200,
        '',
        Array.from({ length: 10_000 }, () => 'set-cookie: a=b'),
      ),
    ),
    reads: fails('HEADERS_TOO_LARGE'),
  },
  {
    what: 'names its headers like parts of an object',
    misbehave: answersEach(response(200, '', ['__proto__: a', 'constructor: b', 'toString: c', '__proto__: d'])),
    reads: { ...whole(200, ''), headers: { ['__proto__']: ['a', 'd'], constructor: 'b', tostring: 'c' } },
  },
  {
    what: 'has invalid UTF-8 in a header',
    misbehave: answersEach(response(200, '', ['x-a: \xff\xfe\xc3\x28'])),
    reads: whole(200, ''),
  },
  {
    what: 'continues a header on the next line',
    misbehave: answersEach(response(200, 'abc', ['x-a: a', ' b'])),
    reads: fails('PROTOCOL_ERROR'),
  },
  { what: 'has NUL in its body', misbehave: answersEach(response(200, 'a\0b')), reads: whole(200, 'a\0b') },
  {
    what: 'has invalid UTF-8 in its body',
    misbehave: answersEach(response(200, '\xff\xfe\xc3\x28\xed\xa0\x80')),
    reads: whole(200, '\xff\xfe\xc3\x28\xed\xa0\x80'),
  },
  {
    what: 'answers with a gzip bomb',
    misbehave: answersEach(response(200, BOMB, ['content-encoding: gzip'])),
    reads: whole(200, BOMB),
  },
  {
    what: 'answers with a gzip bomb in transfer-encoding',
    misbehave: saysAndLeaves(`HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n${BOMB}`),
    reads: whole(200, BOMB),
  },
  {
    what: 'claims to be packed and is not',
    misbehave: answersEach(response(200, 'abc', ['content-encoding: gzip, br, zstd'])),
    reads: whole(200, 'abc'),
  },
  {
    what: 'says its content-length twice',
    misbehave: answersEach('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\nabc'),
    reads: fails('PROTOCOL_ERROR'),
  },
  {
    what: 'speaks HTTP/1.0',
    misbehave: saysAndLeaves('HTTP/1.0 200 OK\r\n\r\nabc'),
    reads: whole(200, 'abc'),
  },
  {
    what: 'sends a body up to the end',
    misbehave: saysAndLeaves('HTTP/1.1 200 OK\r\n\r\nabc'),
    reads: whole(200, 'abc'),
  },
  {
    what: 'has 17 KiB of body',
    misbehave: answersEach(response(200, 'x'.repeat(17 * KIB))),
    reads: { ...breaksOff(200), body: 'x'.repeat(16 * KIB) },
  },
  { what: 'answers 999', misbehave: answersEach(response(999, 'abc')), reads: whole(999, 'abc') },
  {
    what: 'answers 299 after hints',
    misbehave: answersEach(`HTTP/1.1 103 X\r\nX-B: 1\r\n\r\n${response(299, 'abc')}`),
    reads: whole(299, 'abc'),
  },
  {
    what: 'answers 299 after 100 Continue, which nobody asked for',
    misbehave: answersEach(`HTTP/1.1 100 Continue\r\n\r\n${response(299, 'abc')}`),
    reads: whole(299, 'abc'),
  },
  {
    what: 'answers 204 with a body',
    misbehave: answersEach('HTTP/1.1 204 X\r\ncontent-length: 3\r\n\r\nabc'),
    reads: whole(204, ''),
  },
  { what: 'answers 205 with a body', misbehave: answersEach(response(205, 'abc')), reads: whole(205, 'abc') },
  {
    what: 'answers 304 with a length',
    misbehave: answersEach('HTTP/1.1 304 X\r\ncontent-length: 3\r\n\r\n'),
    reads: whole(304, ''),
  },
  {
    what: 'answers 407',
    misbehave: answersEach(response(407, '', ['proxy-authenticate: Basic'])),
    reads: answers(407),
  },
  {
    what: 'wants an upgrade',
    misbehave: answersEach(response(426, 'abc', ['connection: upgrade', 'upgrade: h2c'])),
    reads: whole(426, 'abc'),
  },
  {
    what: 'offers an upgrade',
    misbehave: answersEach(response(200, 'abc', ['connection: upgrade', 'upgrade: websocket'])),
    reads: whole(200, 'abc'),
  },
  {
    what: 'has more bytes than its length',
    misbehave: answersEach(`${response(200, 'abc')}HTTP/1.1 500 X\r\n\r\n`),
    reads: whole(200, 'abc'),
  },
  {
    what: 'answers the next request in advance',
    misbehave: answersEach(response(200, 'abc') + response(500, 'smuggled')),
    reads: whole(200, 'abc'),
  },
  {
    what: 'answers the next request in advance, a little later',
    misbehave: (socket, firstBytes) => {
      answersEach(response(200, 'abc'))(socket, firstBytes);
      setTimeout(() => socket.write(response(500, 'smuggled')), 50);
    },
    reads: whole(200, 'abc'),
  },
  {
    what: 'answers before it is asked',
    misbehave: saysAndLeaves(response(200, 'early')),
    options: { atOnce: true },
    reads: whole(200, 'early'),
  },
  {
    what: 'has trailers',
    misbehave: answersEach('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-B: 1\r\n\r\n'),
    reads: whole(200, 'abc'),
  },
  {
    what: 'tells another length in its trailers',
    misbehave: answersEach(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\ncontent-length: 9\r\n\r\n',
    ),
    reads: { ...breaksOff(200), body: 'abc' },
  },
  {
    what: 'keeps connections for 10⁹ seconds',
    misbehave: answersEach(response(200, 'abc', ['keep-alive: timeout=1000000000'])),
    reads: whole(200, 'abc'),
  },
  {
    what: 'keeps connections for −1 seconds',
    misbehave: answersEach(response(200, 'abc', ['keep-alive: timeout=-1'])),
    reads: whole(200, 'abc'),
  },
];
