import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { openServer } from './loopback.js';

/** Where a tunnel leads, what is written instead of one, or nothing at all. */
export type TunnelAnswer = { host?: string; port: number } | string | 'HANG_UP' | null;

type Answering = (authority: string, headers: IncomingHttpHeaders, client: Duplex) => TunnelAnswer;

export interface FakeProxy extends AsyncDisposable {
  port: number;
  url: string;
  /** Host and port of each CONNECT. */
  asked: string[];
  headers: IncomingHttpHeaders[];
  /** All that went through its tunnels towards receivers, as it saw it. */
  seen: string;
  readonly open: number;
  answerWith(answer: Answering): void;
  close(): Promise<void>;
}

/** An HTTP proxy on loopback that makes tunnels to where it likes. */
export async function startFakeProxy(
  first: Answering,
  options: { port?: number; tls?: TlsOptions } = {},
): Promise<FakeProxy> {
  let answer = first;
  const server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
  server.on('tlsClientError', () => {});
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => {});
    proxy.asked.push(request.url ?? '');
    proxy.headers.push(request.headers);
    const said = answer(request.url ?? '', request.headers, client);
    if (said !== null && typeof said !== 'string') {
      join(client, connect(said.port, said.host ?? '127.0.0.1'), head);
      return;
    }
    // Only who reads learns that the other side has left.
    client.resume().on('end', () => client.destroy());
    if (said === 'HANG_UP') {
      client.destroy();
    } else if (said !== null) {
      client.write(said, 'latin1');
    }
  });
  const join = (client: Duplex, target: Socket, head: Buffer) => {
    target.on('error', () => {});
    client.on('data', (chunk: Buffer) => {
      proxy.seen += chunk.toString('latin1');
    });
    target.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 10.0.0.7\r\nX-Proxy: secret\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    target.on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  };
  const { port, sockets, close } = await openServer(server, options.port);
  const proxy: FakeProxy = {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    asked: [],
    headers: [],
    seen: '',
    get open() {
      return sockets.size;
    },
    answerWith(next) {
      answer = next;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return proxy;
}
