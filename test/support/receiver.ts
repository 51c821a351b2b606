import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { eventually } from './eventually.js';
import { openServer } from './loopback.js';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Name and value in turn, as they stood on the wire. */
  rawHeaders: string[];
  body: Buffer;
  at: Date;
}

export type Answer = (request: Received, response: ServerResponse) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Holds its answers back from now on. @returns waits for a request, and answers with what lets its answer go */
export function holdAnswers(receiver: Receiver, held: Answer): () => Promise<() => void> {
  let respond: (() => void) | undefined;
  receiver.answerWith((request, response) => {
    respond = () => held(request, response);
  });
  return () => eventually(() => respond);
}

/** A subscriber's endpoint: a real HTTP server on loopback that keeps what it gets. */
export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** How many requests are being answered at the moment, and the most there ever were. */
  inFlight: number;
  inFlightPeak: number;
  /** Changes how it answers from now on. */
  answerWith(answer: Answer): void;
  /** Closes the connections on which nothing is asked at the moment, as a graceful reload does. */
  closeIdleConnections(): void;
  close(): Promise<void>;
}

export async function startReceiver(first: Answer = answer(200)): Promise<Receiver> {
  let current = first;
  const server = createServer((request, response) => {
    receiver.inFlight += 1;
    receiver.inFlightPeak = Math.max(receiver.inFlightPeak, receiver.inFlight);
    response.on('close', () => {
      receiver.inFlight -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks),
        at: new Date(),
      };
      receiver.received.push(received);
      current(received, response);
    });
  });
  const { port, close } = await openServer(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    inFlight: 0,
    inFlightPeak: 0,
    answerWith(next) {
      current = next;
    },
    closeIdleConnections: () => server.closeIdleConnections(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return receiver;
}
