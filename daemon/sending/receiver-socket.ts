import type { Socket } from 'node:net';
import { SendFault } from './failure-codes.js';
import { kParser, PARSER_ERROR } from './undici.js';

/** The limit of one answer on the wire: 64 KiB of body and 16 KiB of headers, and room for bodies in small chunks. */
const ANSWER_BYTES_MAX = 262_144;

/**
 * Cuts a connection on which an answer takes more bytes than any answer needs. Limits of headers and bodies alone miss
 * 1xx answers, a reason phrase, the spaces before a value, the extensions of chunks. A receiver could send these as
 * fast as it can until the time is over, which costs a core; and a single byte of a header or body keeps the whole
 * 64 KiB in memory that it was read with, so that 16 KiB of either could take a gigabyte.
 */
export function limitAnswers(socket: Socket): void {
  let bytesWritten = 0;
  let bytesReadBefore = 0;
  let mayContinue = false;
  // Runs before undici's own listener, which reads.
  socket.on('readable', () => {
    if (socket.bytesWritten !== bytesWritten) {
      // Something was asked since: what comes from now on is the answer to that.
      bytesWritten = socket.bytesWritten;
      bytesReadBefore = socket.bytesRead;
      mayContinue = true;
    } else if (socket.bytesRead - bytesReadBefore > ANSWER_BYTES_MAX) {
      socket.destroy(new SendFault('ANSWER_TOO_LONG'));
    }
  });
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    const bytes: Buffer | null = read(size);
    if (mayContinue && bytes !== null) {
      mayContinue = renumberContinue(bytes);
    }
    return bytes;
  };
}

const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';

/**
 * Makes a 102 of `100 Continue`, which some receivers send unasked: a client must be able to read it (RFC 9110 §15.2),
 * but undici takes it for the end of the connection.
 *
 * @param bytes the first ones of an answer
 * @returns whether another one may follow: the bytes have nothing else
 */
function renumberContinue(bytes: Buffer): boolean {
  let at = 0;
  while (bytes.toString('latin1', at, at + CONTINUE.length) === CONTINUE) {
    bytes[at + CONTINUE.length - 1] = '2'.charCodeAt(0);
    const end = bytes.indexOf(HEAD_END, at);
    at = end === -1 ? bytes.length + 1 : end + HEAD_END.length;
  }
  return at === bytes.length;
}

type WriteDone = (error?: (Error & { code?: unknown }) | null) => void;

/** A write that fails because the other side has closed the connection. */
const CLOSED_BY_PEER: readonly unknown[] = ['EPIPE', 'ECONNRESET'];

/**
 * Reads an answer that the other side sent before it closed the connection. A receiver may answer before it has read
 * the whole body, and close: the rest of the body cannot be written then, and Node destroys a socket at a failed write,
 * with the answer unread. So such a write never ends here; the socket is read until the end of the connection.
 */
export function hearLastWords(socket: Socket): void {
  const unlessClosed =
    (done: WriteDone): WriteDone =>
    (error) => {
      if (!CLOSED_BY_PEER.includes(error?.code)) {
        done(error);
      }
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessClosed(done));
  const writev = socket._writev?.bind(socket);
  if (writev !== undefined) {
    socket._writev = (chunks, done) => writev(chunks, unlessClosed(done));
  }
}

const ALERT = /^ERR_SSL_.*_ALERT_/;

/**
 * Ends a connection by the TLS alert that comes before any answer. In TLS 1.3 a receiver refuses a client's
 * certificate, or that there is none, when the handshake is over for the client, and hangs up: undici would report the
 * end alone.
 */
export function hearAlert(socket: Socket): void {
  const heard = (error: Error & { code?: unknown }) => {
    if (ALERT.test(String(error.code))) {
      socket.destroy(error);
    }
  };
  socket.on('error', heard);
  socket.once('readable', () => socket.off('error', heard));
}

/** Private parts of undici: the parser of a connection. */
interface Parser {
  readonly ptr: number;
  readonly llhttp: { llhttp_set_lenient_chunked_length(ptr: number, enabled: 0 | 1): void };
  createError(code: number, rest: Buffer): Error;
}

/**
 * Reads an answer that has both Content-Length and Transfer-Encoding, as other clients do: chunks count (RFC 9112
 * §6.3). `Exchange` then closes the connection. Names the other kind of doubled length, which undici would report like
 * any other nonsense.
 */
export function takeTwoLengths(socket: Socket): void {
  // Runs before undici's own listener, which reads.
  socket.once('readable', () => {
    const { [kParser]: parser } = socket as Socket & { [kParser]?: Parser | null };
    if (parser) {
      parser.llhttp.llhttp_set_lenient_chunked_length(parser.ptr, 1);
      const createError = parser.createError.bind(parser);
      parser.createError = (code, rest) =>
        code === PARSER_ERROR.UNEXPECTED_CONTENT_LENGTH
          ? new SendFault('CONTENT_LENGTH_TWICE')
          : createError(code, rest);
    }
  });
}
