import type { Socket } from 'node:net';

/**
 * What one answer may have on the wire, all in all: 64 KiB of body and 16 KiB of headers are all that is wanted, and
 * the rest leaves room for bodies in small chunks.
 */
const ANSWER_BYTES_MAX = 262_144;

/** A receiver that has sent more than an answer can need, most of it neither header nor body. */
export class AnswerTooLong extends Error {
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
  // Runs before undici's own listener, which reads.
  socket.on('readable', () => {
    if (socket.bytesWritten !== bytesWritten) {
      // Something was asked since: what comes from now on is the answer to that.
      bytesWritten = socket.bytesWritten;
      bytesReadBefore = socket.bytesRead;
    } else if (socket.bytesRead - bytesReadBefore > ANSWER_BYTES_MAX) {
      socket.destroy(new AnswerTooLong());
    }
  });
}
