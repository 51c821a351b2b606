import type { Socket } from 'node:net';

type WriteDone = (error?: (Error & { code?: unknown }) | null) => void;

/** A write that fails because the other side has closed the connection. */
const CLOSED_BY_PEER: readonly unknown[] = ['EPIPE', 'ECONNRESET'];

/**
 * Reads what the other side said before it closed the connection. A receiver may answer before it has read the whole
 * body, and close: the rest of the body cannot be written then, and Node destroys a socket at a failed write, with the
 * answer unread. So a write that fails for this reason does not end here. The socket is read until the end of the
 * connection, which the same closing brings there too.
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
