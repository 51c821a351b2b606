import type { Socket } from 'node:net';

/**
 * What one answer may have on the wire, all in all: 64 KiB of body and 16 KiB of headers are all that is wanted, and
 * the rest leaves room for bodies in small chunks.
 */
const ANSWER_BYTES_MAX = 262_144;

/** A receiver that has sent more than an answer can need, most of it neither header nor body. */
class AnswerTooLong extends Error {
  readonly code = 'ANSWER_TOO_LONG';
}

/**
 * Cuts a connection on which an answer takes more bytes than any answer needs. Limits of headers and bodies alone do
 * not see what is neither: 1xx answers, a reason phrase, the spaces before a value, the extensions of chunks. A
 * receiver could send these as fast as it can until the time is over, which costs a core that others wait for; and a
 * single byte of a header or of a body keeps the whole 64 KiB in memory that it was read with, so that 16 KiB of
 * either could hold a gigabyte.
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
      socket.destroy(new AnswerTooLong());
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
 * Makes `100 Continue`, which some receivers send though nobody asked for it, a 102 that says as little: a client must
 * be able to read it (RFC 9110 §15.2), but undici takes it for the end of the connection.
 *
 * @param bytes the first ones of an answer
 * @returns whether more of them may follow: there is nothing else in it
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
