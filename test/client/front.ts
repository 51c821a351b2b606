import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { openServer } from '../support/loopback.js';

interface Request {
  at: number;
  body: string;
}

type Behaviour = (response: ServerResponse, pass: () => Promise<Response>) => unknown;

/** A proxy before the API. It passes requests on, but for the next ones, which it treats as a test says. */
export class Front implements AsyncDisposable {
  readonly requests: Request[] = [];
  readonly #next: Behaviour[] = [];
  #close = async () => {};
  url = '';

  private constructor(private readonly target: string) {}

  static async open(target: string): Promise<Front> {
    const front = new Front(target);
    const server = createServer((request, response) => void front.#treat(request, response).catch(() => {}));
    const { port, close } = await openServer(server);
    front.url = `http://127.0.0.1:${port}`;
    front.#close = close;
    return front;
  }

  /** Treats the next requests so, one each. */
  next(...behaviours: Behaviour[]): this {
    this.requests.length = 0;
    this.#next.splice(0, Infinity, ...behaviours);
    return this;
  }

  async #treat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = { at: performance.now(), body: await text(request) };
    this.requests.push(received);
    const { authorization = '' } = request.headers;
    const headers = { 'content-type': 'application/json', 'accept-encoding': 'identity', authorization };
    const pass = () => fetch(`${this.target}${request.url}`, { method: 'POST', headers, body: received.body });
    await (this.#next.shift() ?? passed)(response, pass);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

export const passed: Behaviour = async (response, pass) => {
  const answer = await pass();
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
};

/** What nginx answers while nothing is behind it. */
export const badGateway: Behaviour = (response) =>
  response
    .writeHead(502, { 'content-type': 'text/html' })
    .end('<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>');

/** The event is accepted, and nobody hears of it. */
export const lostAnswer: Behaviour = async (response, pass) => {
  await (await pass()).text();
  response.destroy();
};

export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);
