import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { openServer } from './loopback.js';

/** A server on loopback that answers as it likes, byte for byte, and counts who comes. */
export interface HostileReceiver extends AsyncDisposable {
  port: number;
  url: string;
  connections: number;
  /** The bytes sent to it, over all connections. */
  received: string;
  /** Connections that are open at the moment. */
  readonly open: number;
  close(): Promise<void>;
}

/** Treats a connection once the first bytes of a request are there. */
export type Misbehaviour = (socket: Socket, firstBytes: Buffer) => void;

export interface ReceiverOptions {
  host?: string;
  port?: number;
  tls?: TlsOptions;
  /** The name in its url; default: the host. */
  name?: string;
  /** The scheme of its url; default: https where it speaks TLS. */
  scheme?: 'http' | 'https';
  /** Misbehaves as soon as somebody connects, before a byte was sent. */
  atOnce?: boolean;
}

export async function startHostileReceiver(
  misbehave: Misbehaviour,
  options: ReceiverOptions = {},
): Promise<HostileReceiver> {
  const { host = '127.0.0.1', tls, name = host, atOnce = false } = options;
  const { scheme = tls === undefined ? 'http' : 'https' } = options;
  const serve = (socket: Socket) => {
    // The other side cuts connections in the middle: that is what is being tested, and no fault here.
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      receiver.received += chunk.toString('latin1');
    });
    if (atOnce) {
      misbehave(socket, Buffer.alloc(0));
    } else {
      socket.once('data', (chunk: Buffer) => misbehave(socket, chunk));
    }
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve).on('tlsClientError', () => {});
  server.on('connection', () => {
    receiver.connections += 1;
  });
  const { port, sockets, close } = await openServer(server, options.port, host);
  const receiver: HostileReceiver = {
    port,
    url: `${scheme}://${name}:${port}/hook`,
    connections: 0,
    received: '',
    get open() {
      return sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return receiver;
}

/** Says one thing and leaves the connection open. */
export const says =
  (text: string | Buffer): Misbehaviour =>
  (socket) => {
    socket.write(text, 'latin1');
  };

/** Answers each request of a connection, once it is there as a whole: what a good receiver does. */
export const answersEach =
  (answer: string | ((request: string) => string)): Misbehaviour =>
  (socket, firstBytes) => {
    let unread = '';
    const read = (chunk: Buffer) => {
      unread += chunk.toString('latin1');
      const [head = '', body] = unread.split(/\r\n\r\n(.*)/s);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) {
        return;
      }
      unread = body.slice(length);
      socket.write(typeof answer === 'string' ? answer : answer(head), 'latin1');
    };
    socket.on('data', read);
    read(firstBytes);
  };

/** Says one thing and hangs up. */
export const saysAndLeaves =
  (text: string | Buffer): Misbehaviour =>
  (socket) => {
    socket.end(text, 'latin1');
  };

/** Says something, then the same thing again and again, a little at a time, until it is cut off. */
export const drips =
  (first: string, again: string, everyMs: number): Misbehaviour =>
  (socket) => {
    socket.write(first, 'latin1');
    const timer = setInterval(() => socket.write(again, 'latin1'), everyMs);
    socket.on('close', () => clearInterval(timer));
  };

/** Says something, then sends a chunk as often as the connection takes it, for ever. */
export const floods =
  (first: string, chunk: Buffer): Misbehaviour =>
  (socket) => {
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk)) {
        if (socket.writableLength > 1_000_000) {
          break;
        }
      }
    };
    socket.write(first, 'latin1');
    socket.on('drain', pump);
    pump();
  };

/** Says something, and resets the connection a moment later. */
export const saysAndResets =
  (text: string): Misbehaviour =>
  (socket) => {
    // Only bytes that have been read survive a reset, so it comes when they have had the time.
    socket.write(text, 'latin1', () => setTimeout(() => socket.resetAndDestroy(), 50));
  };

export const resets: Misbehaviour = (socket) => {
  socket.resetAndDestroy();
};

/** A response with a content-length. */
export function response(status: number | string, body = '', headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} X`, ...headers, `content-length: ${Buffer.byteLength(body, 'latin1')}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
