import { says } from '../hostile-receivers.js';
import { breaksOff, fails, type HostileKind, kinds } from './kind.js';

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n`;

/** Bytes in place of an answer; each is a `PROTOCOL_ERROR`. */
const nonsense: Record<string, string> = {
  'a line of text': 'hello\r\n\r\n',
  'HTTP/0.9': '<html>hello</html>',
  'an unknown version': 'HTTP/7.1 200 OK\r\n\r\n',
  'a preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'settings of HTTP/2': '\x00\x00\x00\x04\x00\x00\x00\x00\x00',
  'a handshake of TLS': '\x16\x03\x01\x00\x02\x02\x46',
  'the greeting of an SSH server': 'SSH-2.0-OpenSSH_9.6\r\n',
  'the greeting of a mail server': '220 mail.example.com ESMTP\r\n',
  zeros: '\0\0\0\0\0\0\0\0',
  'a status of two digits': 'HTTP/1.1 99 X\r\ncontent-length: 0\r\n\r\n',
  'a status of four digits': 'HTTP/1.1 2000 X\r\n\r\n',
  'a status of letters': 'HTTP/1.1 abc X\r\n\r\n',
  'a negative status': 'HTTP/1.1 -200 X\r\n\r\n',
  'status 000': 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n',
  'status 099': 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n',
  '101 without a word': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  '101 with an upgrade': 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  'a body after 103': 'HTTP/1.1 103 X\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n',
  'line feeds alone': 'HTTP/1.1 200 OK\nX-A: 1\ncontent-length: 0\n\n',
  'a carriage return alone': head('X-A: 1\rX-B: 2', 'content-length: 0', ''),
  'NUL in a header': head('X-A: a\0b', 'content-length: 0', ''),
  'NUL in the name of a header': head('X\0A: a', 'content-length: 0', ''),
  'a header without a colon': head('X-A', 'content-length: 0', ''),
  'a header without a name': head(': a', 'content-length: 0', ''),
  'a space before the colon': head('X-A : a', 'content-length: 0', ''),
  'a name of a header in UTF-8': head('\xc3\xa4: a', 'content-length: 0', ''),
  'a first header that continues no other': head(' X-A: a', 'content-length: 0', ''),
  'a list of content-lengths': head('content-length: 2, 2', '', 'ab'),
  'a negative content-length': head('content-length: -1', '', 'ab'),
  'a content-length in hexadecimal': head('content-length: 0x2', '', 'ab'),
  'a content-length above 2⁶⁴': head('content-length: 99999999999999999999', '', 'ab'),
};

const brokenChunks: Record<string, string> = {
  'a chunk whose length is not a number': 'zz\r\nabc\r\n',
  'a chunk of negative length': '-3\r\nabc\r\n',
  'a chunk whose length is above 2⁶⁴': 'fffffffffffffffff\r\nabc\r\n',
  'a chunk longer than its length': '3\r\nabcdef\r\n',
  'a chunk without a length': '\r\nabc\r\n',
};

export const malformed: readonly HostileKind[] = [
  ...Object.entries(nonsense).flatMap(([what, text]) =>
    kinds(fails('PROTOCOL_ERROR'), { [`says ${what}`]: says(text) }),
  ),
  ...Object.entries(brokenChunks).flatMap(([what, text]) =>
    kinds(breaksOff(200), { [`sends ${what}`]: says(head('transfer-encoding: chunked', '', text)) }),
  ),
  ...kinds(fails('CONTENT_LENGTH_TWICE'), {
    'says two lengths': says(head('content-length: 1', 'content-length: 2', '', 'ab')),
    'says one length twice': says(head('content-length: 2', 'content-length: 2', '', 'ab')),
    'says one length twice, apart': says(head('content-length: 2', 'X-A: 1', 'Content-Length: 2', '', 'ab')),
    'says one length twice beside chunks': says(
      head('content-length: 2', 'transfer-encoding: chunked', 'content-length: 2', '', '0', '', ''),
    ),
  }),
  ...kinds(breaksOff(200, ''), {
    'says content-length and transfer-encoding': says(
      head('content-length: 3', 'transfer-encoding: chunked', '', '0', '', ''),
    ),
    'says transfer-encoding and content-length': says(
      head('transfer-encoding: chunked', 'content-length: 3', '', '3', 'abc', '0', '', ''),
    ),
    'says content-length and a transfer-encoding without chunks': says(
      head('content-length: 3', 'transfer-encoding: gzip', '', 'abc'),
    ),
  }),
  ...kinds(fails('PROTOCOL_ERROR'), { 'echoes the request': (socket, firstBytes) => void socket.write(firstBytes) }),
];
