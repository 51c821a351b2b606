import { gzipSync } from 'node:zlib';
import { answersEach, response, saysAndLeaves } from '../hostile-receivers.js';
import { answers, breaksOff, CHUNKED, fails, type HostileKind, KIB, kinds, OK, whole } from './kind.js';

const BOMB = gzipSync(Buffer.alloc(10_000_000)).toString('latin1');
const EMPTY = 'content-length: 0\r\n\r\n';

/** An empty answer with these headers. */
const withHeaders = (...headers: string[]) => answersEach(response(200, '', headers));
const many = (count: number, header: (index: number) => string) =>
  withHeaders(...Array.from({ length: count }, (_, index) => header(index)));
/** An answer that reads `abc`, with these headers. */
const abc = (...headers: string[]) => answersEach(response(200, 'abc', headers));

/** Legal and nearly legal answers that have surprised somebody. */
export const odd: readonly HostileKind[] = [
  ...kinds(fails('HEADERS_TOO_LARGE'), {
    'has a reason phrase of 1 MB': answersEach(`HTTP/1.1 200 ${'x'.repeat(1_000_000)}\r\n${EMPTY}`),
    'has a header of 17 KiB': withHeaders(`X-A: ${'x'.repeat(17 * KIB)}`),
    'has 100,000 headers': many(100_000, (i) => `x-${i}: ${i}`),
    'sets 10,000 cookies': many(10_000, () => 'set-cookie: a=b'),
  }),
  ...kinds(fails('PROTOCOL_ERROR'), {
    'continues a header on the next line': abc('x-a: a', ' b'),
  }),
  ...kinds(whole(200, ''), {
    'has a reason phrase of 100 KB': answersEach(`HTTP/1.1 200 ${'x'.repeat(100_000)}\r\n${EMPTY}`),
    'has no reason phrase': answersEach(`HTTP/1.1 200\r\n${EMPTY}`),
    'has thousands of tiny headers': many(3500, (i) => `${(i + 1000).toString(36)}:`),
    'has headers that grow when they are written down': withHeaders(
      `x-a: ${'"\\'.repeat(4000)}`,
      `x-b: ${'\xff'.repeat(8000)}`,
    ),
    'sets 1,000 cookies': many(1000, () => 'set-cookie: a'),
    'has invalid UTF-8 in a header': withHeaders('x-a: \xff\xfe\xc3\x28'),
  }),
  ...kinds(
    { ...whole(200, ''), headers: { ['__proto__']: ['a', 'd'], constructor: 'b', tostring: 'c' } },
    {
      'names its headers like parts of an object': withHeaders(
        '__proto__: a',
        'constructor: b',
        'toString: c',
        '__proto__: d',
      ),
    },
  ),
  ...kinds(whole(200, 'abc'), {
    'claims to be packed and is not': abc('content-encoding: gzip, br, zstd'),
    'speaks HTTP/1.0': saysAndLeaves('HTTP/1.0 200 OK\r\n\r\nabc'),
    'closes its half and listens on': (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nabc', 'latin1'),
    'sends a body up to the end': saysAndLeaves(`${OK}\r\nabc`),
    'offers an upgrade': abc('connection: upgrade', 'upgrade: websocket'),
    'has more bytes than its length': answersEach(`${response(200, 'abc')}HTTP/1.1 500 X\r\n\r\n`),
    'answers the next request in advance': answersEach(response(200, 'abc') + response(500, 'smuggled')),
    'answers the next request in advance, a little later': (socket, firstBytes) => {
      abc()(socket, firstBytes);
      setTimeout(() => socket.write(response(500, 'smuggled')), 50);
    },
    'has trailers': answersEach(`${OK}${CHUNKED}3\r\nabc\r\n0\r\nX-B: 1\r\n\r\n`),
    'keeps connections for 10⁹ seconds': abc('keep-alive: timeout=1000000000'),
    'keeps connections for −1 seconds': abc('keep-alive: timeout=-1'),
  }),
  ...kinds(
    whole(200, 'early'),
    { 'answers before it is asked': saysAndLeaves(response(200, 'early')) },
    { options: { atOnce: true } },
  ),
  ...kinds(whole(200, 'a\0b'), { 'has NUL in its body': answersEach(response(200, 'a\0b')) }),
  ...kinds(whole(200, '\xff\xfe\xc3\x28\xed\xa0\x80'), {
    'has invalid UTF-8 in its body': answersEach(response(200, '\xff\xfe\xc3\x28\xed\xa0\x80')),
  }),
  ...kinds(whole(200, BOMB), {
    'answers with a gzip bomb': answersEach(response(200, BOMB, ['content-encoding: gzip'])),
    'answers with a gzip bomb in transfer-encoding': saysAndLeaves(`${OK}transfer-encoding: gzip\r\n\r\n${BOMB}`),
  }),
  ...kinds(breaksOff(200, 'x'.repeat(16 * KIB)), {
    'has 17 KiB of body': answersEach(response(200, 'x'.repeat(17 * KIB))),
  }),
  ...kinds(breaksOff(200, 'abc'), {
    'tells another length in its trailers': answersEach(`${OK}${CHUNKED}3\r\nabc\r\n0\r\ncontent-length: 9\r\n\r\n`),
  }),
  ...kinds(whole(299, 'abc'), {
    'answers 299 after hints': answersEach(`HTTP/1.1 103 X\r\nX-B: 1\r\n\r\n${response(299, 'abc')}`),
    'answers 299 after 100 Continue, which nobody asked for': answersEach(
      `HTTP/1.1 100 Continue\r\n\r\n${response(299, 'abc')}`,
    ),
  }),
  ...kinds(whole(204, ''), {
    'answers 204 with a body': answersEach('HTTP/1.1 204 X\r\ncontent-length: 3\r\n\r\nabc'),
  }),
  ...kinds(whole(205, 'abc'), { 'answers 205 with a body': answersEach(response(205, 'abc')) }),
  ...kinds(whole(304, ''), { 'answers 304 with a length': answersEach('HTTP/1.1 304 X\r\ncontent-length: 3\r\n\r\n') }),
  ...kinds(answers(407), { 'answers 407': answersEach(response(407, '', ['proxy-authenticate: Basic'])) }),
  ...kinds(whole(426, 'abc'), {
    'wants an upgrade': answersEach(response(426, 'abc', ['connection: upgrade', 'upgrade: h2c'])),
  }),
  ...kinds(whole(999, 'abc'), { 'answers 999': answersEach(response(999, 'abc')) }),
];
