import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Behaviour } from './behaviour.js';
import { listen, listenAtOwnPort } from './loopback.js';

/** One request as it came. */
interface Arrival {
  deliveryId: string;
  /** `performance.now()` when all of the request was there. */
  atMs: number;
  /** Null as long as it is not answered. */
  status: 200 | 429 | 500 | null;
}

/**
 * A subscriber's endpoint as real ones are, on loopback: a test changes what it does while requests come.
 *
 * - `receiver.behaviour.latencyMs = 600`: answers come that late from now on (null: never)
 * - `receiver.behaviour.stall()`, `.endStall('answered' | 'never')`: reads requests and answers none, until the end; then
 *   those that it has are answered, or never are
 * - `receiver.behaviour.limitTo({ perSecond: 10, burst: 10, retryAfterSeconds: 1 })`: above it 429; null ends it
 * - `await receiver.goAway()`, `await receiver.comeBack()`: all connections are reset and new ones refused, until it listens
 *   again at the same port: a restart
 * - `receiver.closeIdle()`: ends the keep-alive connections on which nothing is under way, as a graceful reload does
 *
 * It is at first instant and answers 200. A request that it has read but has not answered when it goes away stays in
 * `arrivals`.
 */
export class RealReceiver implements AsyncDisposable {
  readonly behaviour = new Behaviour();
  /** Every request, in the order in which they came. */
  readonly arrivals: Arrival[] = [];
  /** How many connections were opened so far. */
  connections = 0;
  /** Requests that wait for their answer, and the most that did at one time. */
  inFlight = 0;
  inFlightPeak = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ keepAliveTimeout: 0 }, (request, response) => this.#receive(request, response));
  #port = 0;

  private constructor() {
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<RealReceiver> {
    const receiver = new RealReceiver();
    receiver.#port = await listenAtOwnPort(receiver.#server);
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** How many different deliveries came. */
  get deliveries(): number {
    return new Set(this.arrivals.map(({ deliveryId }) => deliveryId)).size;
  }

  /** When a delivery came: `performance.now()` of each of its requests. */
  arrivalsOf(deliveryId: number | string): number[] {
    return this.arrivals.filter((one) => one.deliveryId === `${deliveryId}`).map(({ atMs }) => atMs);
  }

  async goAway(): Promise<void> {
    for (const socket of this.#sockets) {
      socket.resetAndDestroy(); // first: `close` ends idle ones in order
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async comeBack(): Promise<void> {
    await listen(this.#server, this.#port);
  }

  closeIdle(): void {
    this.#server.closeIdleConnections();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.inFlight += 1;
    this.inFlightPeak = Math.max(this.inFlightPeak, this.inFlight);
    response.on('close', () => {
      this.inFlight -= 1;
    });
    request.on('error', () => {});
    request.resume().on('end', () => {
      const deliveryId = `${request.headers['x-service-delivery'] ?? ''}`;
      const arrival: Arrival = { deliveryId, atMs: performance.now(), status: null };
      this.arrivals.push(arrival);
      this.behaviour.treat((status, headers) => {
        arrival.status = status;
        response.writeHead(status, headers).end();
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) {
      await this.goAway();
    }
  }
}
