import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Receipt } from './evidence.js';

/** How an endpoint answers one request: with which status, and after how many milliseconds. */
export type Behaviour = () => { status: number; afterMs?: number };

export const good: Behaviour = () => ({ status: 200 });
export const broken: Behaviour = () => ({ status: 500 });

/** The subscribers: one server on loopback, a path for each webhook, a receipt for each request. */
export class Endpoints implements AsyncDisposable {
  readonly receipts: Receipt[] = [];
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #waiting = new Map<Receipt, () => void>();
  readonly #server = createServer((request, response) => {
    request.on('error', () => {});
    request.on('end', () => this.#receive(request.url ?? '', request.headers['x-service-delivery'], response));
    request.resume();
  });

  static async open(): Promise<Endpoints> {
    const endpoints = new Endpoints();
    await new Promise<void>((resolve) => endpoints.#server.listen(0, '127.0.0.1', 1024, resolve));
    return endpoints;
  }

  urlOf(webhook: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${webhook}`;
  }

  behave(webhook: string, behaviour: Behaviour): void {
    this.#behaviours.set(webhook, behaviour);
  }

  /** Requests that have come and are not answered yet. */
  get inFlight(): number {
    return this.#waiting.size;
  }

  #receive(path: string, delivery: unknown, response: ServerResponse): void {
    const webhook = path.slice(1);
    const { status, afterMs = 0 } = (this.#behaviours.get(webhook) ?? good)();
    const receipt: Receipt = { deliveryId: Number(delivery), webhook, arrivedAt: Date.now(), status: null };
    this.receipts.push(receipt);
    const answer = () => {
      this.#waiting.delete(receipt);
      receipt.endedAt ??= Date.now();
      if (!response.destroyed) {
        receipt.status = status;
        response.writeHead(status, { 'content-length': 0 }).end();
      }
    };
    if (afterMs === 0) {
      answer();
    } else {
      const timer = setTimeout(answer, afterMs);
      this.#waiting.set(receipt, answer);
      response.on('close', () => {
        clearTimeout(timer);
        receipt.endedAt ??= Date.now();
        this.#waiting.delete(receipt);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
