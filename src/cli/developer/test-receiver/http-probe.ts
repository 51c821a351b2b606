import type { Agent, ClientRequest, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { http, https } from '../../../platform/node/node-http.js';

export interface Answer {
  /** 0 when no answer came; then `trouble` says why. */
  status: number;
  ms: number;
  /** The connection had carried a request before. */
  reused: boolean;
  location: string | undefined;
  /** The beginning of its body, on one line. */
  said: string;
  /** A code such as ECONNREFUSED, or TIMEOUT. */
  trouble: string | undefined;
}

export interface Message {
  method?: string | undefined;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Sends the body in this many parts, with a pause before each. */
  parts?: number;
  /** Cuts the connection when half of the body has been sent. */
  cut?: boolean;
}

const PAUSE_MS = 300;
const SAID_CHARS_MAX = 400;
/** Time for what was sent before a cut to reach the receiver's code. */
const BEFORE_CUT_MS = 100;

/** Speaks HTTP to a receiver as the daemon does: HTTP/1.1, kept connections, no redirects. */
export class HttpProbe implements Disposable {
  readonly #agent: Agent;
  readonly #request: typeof request;

  /** @param pauseFactor 1, or in tests less: the part of the usual pauses that it makes */
  constructor(
    readonly url: URL,
    readonly timeoutMs: number,
    readonly pauseFactor: number,
  ) {
    const isHttps = url.protocol === 'https:';
    this.#request = isHttps ? (https.request as typeof request) : http.request;
    this.#agent = new (isHttps ? https : http).Agent({ keepAlive: true, maxSockets: 4 });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** Never throws: no answer is an answer with status 0. */
  async send(message: Message): Promise<Answer> {
    const answer = await this.#once(message);
    // A server may close a kept connection just as a request arrives: the daemon sends it again, too.
    const wasClosed = answer.reused && (answer.trouble === 'ECONNRESET' || answer.trouble === 'EPIPE');
    return wasClosed && message.cut !== true ? this.#once(message) : answer;
  }

  #once(message: Message): Promise<Answer> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const request = this.#request(this.url, {
        method: message.method ?? 'POST',
        agent: this.#agent,
        headers: { ...message.headers, ...lengthOf(message) },
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const end = (answer: Partial<Answer>) =>
        resolve({
          status: 0,
          ms: Math.round(performance.now() - startedAt),
          reused: request.reusedSocket,
          location: undefined,
          said: '',
          trouble: undefined,
          ...answer,
        });
      let begun: Partial<Answer> | undefined;
      request.on('response', (response) => {
        const answer = { status: response.statusCode ?? 0, location: response.headers.location, said: '' };
        begun = answer;
        response.setEncoding('utf8').on('data', (text: string) => {
          answer.said = oneLine(answer.said + text);
        });
        // The connection is free for the next request only when the answer has been read.
        response.on('close', () => end(answer)).on('error', () => end(answer));
      });
      // Status and headers decide, as for the service: the rest of the body may be missing.
      request.on('error', (error: NodeJS.ErrnoException) =>
        end(begun ?? { trouble: error.name === 'AbortError' ? 'TIMEOUT' : (error.code ?? error.message) }),
      );
      void write(request, message, this.pauseFactor * PAUSE_MS);
    });
  }
}

const oneLine = (text: string) => text.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, SAID_CHARS_MAX);
const lengthOf = ({ body, method }: Message) => (method === 'GET' ? {} : { 'content-length': String(body.length) });

async function write(
  request: ClientRequest,
  { body, parts = 1, cut = false }: Message,
  pauseMs: number,
): Promise<void> {
  if (cut) {
    request.write(body.subarray(0, Math.ceil(body.length / 2)));
    await delay(BEFORE_CUT_MS);
    request.destroy();
    return;
  }
  const size = Math.ceil(body.length / parts);
  for (let part = 0; part < parts && !request.destroyed; part += 1) {
    if (part > 0) {
      await delay(pauseMs);
    }
    request.write(body.subarray(part * size, (part + 1) * size));
  }
  request.end();
}
